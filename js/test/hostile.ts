// What hostile objects do to a flow, on both tools: it ends once, says how, and can be used again.

import { expect } from 'chai';
import { after, before } from 'mocha';
import { AsyncSteps, AsyncTool, type IOutcome, VirtualTool } from '../src/index.js';
import type { ToolCore } from '../src/toolcore.js';

export type Fill = (flow: AsyncSteps, tool: ToolCore) => unknown;

/** How long a flow may take, in milliseconds, till it counts as one that waits. */
const PATIENCE = 300;

/** No promise of the file's tests is rejected without anybody hearing of it. */
export function countsRejections(): void {
  const unheard: unknown[] = [];
  const count = (reason: unknown) => void unheard.push(reason);
  before(() => void process.on('unhandledRejection', count));
  after(async () => {
    await macrotask();
    await macrotask();
    process.off('unhandledRejection', count);
    expect(unheard).to.deep.equal([]);
  });
}

/** How the flow ends, the same on both tools, and after that what its report hook was told. */
export async function endOf(fill: Fill): Promise<string> {
  const [virtual, native] = await endsOf(fill);
  expect(native).to.equal(virtual);
  return virtual!;
}

/** How the flow ends on the virtual tool, and on the platform's. */
export async function endsOf(fill: Fill): Promise<string[]> {
  return [await endOn(new VirtualTool(), fill), await endOn(new AsyncTool(), fill)];
}

async function endOn(tool: ToolCore, fill: Fill): Promise<string> {
  const told: string[] = [];
  const flow = new AsyncSteps({ tool, report: (code) => told.push(`report ${code}`) });
  fill(flow, tool);
  const ends = await execute(tool, flow);
  if (ends.length === 0) {
    told.push('waited');
    flow.cancel();
    await drain(tool, () => ends.length > 0);
  }
  flow.forEach(new Set([1]), () => {}).add((asi) => asi.success('again'));
  expect(await execute(tool, flow), 'a further execution').to.deep.equal(['ok again']);
  expect(ends, 'how it has ended').to.have.length(1);
  return [...ends, ...told].join(', ');
}

async function execute(tool: ToolCore, flow: AsyncSteps): Promise<string[]> {
  const ends: string[] = [];
  flow.execute((outcome) => ends.push(textOf(outcome)));
  await drain(tool, () => ends.length > 0);
  return ends;
}

/** Till nothing is left to do, or the end has come. */
async function drain(tool: ToolCore, ended: () => boolean): Promise<void> {
  if (tool instanceof VirtualTool) return tool.run();
  const start = performance.now();
  while (!ended() && performance.now() - start < PATIENCE) await macrotask();
  await macrotask();
}

export function macrotask(): Promise<void> {
  return new Promise((done) => void setImmediate(done));
}

function textOf({ kind, values, code }: IOutcome): string {
  if (kind !== 'ok') return kind === 'error' ? `error ${code}` : kind;
  const texts = values.map((value) => (Object(value) === value ? typeof value : String(value)));
  return [kind, ...texts].join(' ');
}

/** What throws when it is called or read. */
export const fail = (): never => {
  throw 'Thrown';
};

/** A proxy of which nothing can be asked. */
export function revokedProxy<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
