/** Random programs of sections, and what becomes of each flow of one. */
import {
  delay,
  type Guard,
  type IAsyncSteps,
  run,
  type Step,
  step,
  sync,
  type VirtualTool,
} from '../src/index.js';
import { chanceOf } from '../test/chance.js';

/** Of a section: which guard it wants of those that a kind has, how long it lasts, and what is inside. */
interface Part {
  readonly name: string;
  readonly which: number;
  /** Before it. */
  readonly pause: number;
  readonly ms: number;
  readonly timeout: number;
  readonly inside: readonly Part[];
  readonly isParallel: boolean;
}

interface Flow {
  readonly at: number;
  readonly parts: readonly Part[];
}

/** So far apart that no two things that have nothing to do with each other happen at the same time. */
export const second = 100_000;

export function programOf(seed: number): readonly Flow[] {
  const chance = chanceOf(seed);
  const partOf = (name: string, depth: number): Part => ({
    name,
    which: chance(12),
    pause: 1 + chance(second),
    ms: 1 + chance(second),
    timeout: chance(4) === 0 ? 1 + chance(2 * second) : 0,
    inside: depth < 2 && chance(3) === 0 ? [0, 1].map((i) => partOf(`${name}${i}`, depth + 1)) : [],
    isParallel: chance(2) === 0,
  });
  return Array.from({ length: 12 }, (_, i) => ({
    at: chance(4 * second),
    parts: [0, 1].map((n) => partOf(`${i}.${n}`, 0)),
  }));
}

/** `guardOf(flow, which)`. What each flow has seen, and when. */
export function start(
  flows: readonly Flow[],
  tool: VirtualTool,
  guardOf: (flow: number, which: number) => Guard,
): string[][] {
  return flows.map(({ at, parts }, flow) => {
    const seen: string[] = [];
    const says = (what: string) => void seen.push(`${tool.now()} ${what}`);
    const stepOf = (part: Part): Step<any, any> => {
      const body = step((asi) => {
        says(`${part.name} in`);
        asi.add(delay(part.ms));
        if (!part.isParallel) for (const each of part.inside) asi.add(stepOf(each));
        else if (part.inside.length > 0) {
          const branches = asi.parallel();
          for (const each of part.inside) branches.add(stepOf(each));
        }
        asi.add(() => says(`${part.name} out`));
      });
      const section = sync(guardOf(flow, part.which), body);
      const timed = part.timeout > 0 ? section.timeout(part.timeout) : section;
      const paused = step((asi) => void asi.add(delay(part.pause)).add(timed));
      return paused.onError((asi: IAsyncSteps, code: string) => {
        const { guard, retry_after, info } = asi.state.last_exception as any;
        says(`${part.name} ${code} ${guard} ${retry_after} ${code === 'Timeout' ? '' : info}`);
        asi.success();
      });
    };
    const all = step((asi) => {
      asi.add(delay(at));
      for (const part of parts) asi.add(stepOf(part));
    });
    run(all, { tool }).catch((error) => says(String(error)));
    return seen;
  });
}
