/** Whom a throttle lets in when: a fixed window, a sliding one, buckets. The same calls come to each. */
import { sync, Throttle, type ThrottleOptions, VirtualTool } from 'steptree';
import type { Dot, Picture, Row } from './picture.js';

/** One comes early, and so many after a rest. */
const comes = [0, ...Array<number>(8).fill(80)];
const max = 4;
const period = 100;

function row(name: string, dots: readonly Dot[]): Row {
  return { name, depth: 0, bars: [], dots, badges: [] };
}

async function admitted(options: Omit<ThrottleOptions, 'max' | 'period'>): Promise<Dot[]> {
  const tool = new VirtualTool();
  const throttle = new Throttle({ max, period, ...options });
  const dots: Dot[] = [];
  const call = sync(throttle, () => void dots.push({ at: tool.now(), kind: 'admitted' }));
  for (const at of comes) tool.deferred(at, () => tool.start(call));
  await tool.run();
  return dots;
}

export async function windows(): Promise<Picture> {
  const rows = [
    row(
      'calls come',
      comes.map((at) => ({ at, kind: 'asked' })),
    ),
    row("algorithm: 'fixed'", await admitted({ algorithm: 'fixed' })),
    row("algorithm: 'sliding'", await admitted({ algorithm: 'sliding' })),
    row('burst: 4', await admitted({ burst: 4 })),
    row('burst: 1', await admitted({ burst: 1 })),
  ];
  return {
    name: 'windows',
    title: `Throttles of ${max} calls in ${period} ms`,
    panels: [{ title: `new Throttle({ max: ${max}, period: ${period}, … })`, rows, moments: [] }],
    columns: 1,
    every: 50,
    names: 140,
    ends: 16,
    legend: new Map([
      ['asked', 'a call comes'],
      ['admitted', 'a call is let in'],
    ]),
  };
}
