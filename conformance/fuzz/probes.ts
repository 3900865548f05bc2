/** What a program asks at its end, so that its trace shows what is left: who runs, which timers are armed, which guards are free. */
import type { Program } from '../case.js';
import { namesIn, promisesIn } from '../names.js';

type Guards = { readonly [name: string]: { readonly [kind: string]: unknown } };

export const probe = 'probe';
export const askedAt = 100_000;

export function withProbes(program: Program): Program {
  const names = Object.keys(program.flows);
  const guards = ownGuards(program);
  const events = (program['events'] as unknown[]) ?? [];
  const asks = [...names.map((running) => ({ running })), { armedTimers: true }];
  if (guards.length === 0) return { ...program, events: [...events, { at: askedAt, do: asks }] };
  return {
    ...program,
    flows: { ...program.flows, [probe]: guards.map(takes) },
    events: [
      ...events,
      { at: askedAt / 2, do: promises(program).map((settle) => ({ settle })) },
      { at: askedAt, do: [...asks, { execute: probe }] },
    ],
  };
}

/** What was abandoned keeps places till it has settled. */
function promises(program: Program): string[] {
  return [...new Set(promisesIn(namesIn(program)))];
}

/** Those of the runtime; a lock alone shows that one is free. */
export function ownGuards(program: Program): string[] {
  return Object.entries((program['guards'] as Guards) ?? {}).flatMap(([name, guard]) => {
    if (['custom', 'gate', 'barrier', 'keyed'].some((kind) => kind in guard)) return [];
    return 'rwlock' in guard ? [`${name}.write`] : [name];
  });
}

export function freeLine(guard: string): string {
  return `free ${guard}`;
}

function takes(guard: string): object {
  return {
    step: '',
    do: [{ setTimeout: 50 }, { sync: freeLine(guard), guard }],
    catch: ['success'],
  };
}
