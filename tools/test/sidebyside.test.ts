import { expect } from 'chai';
import { sideBySide } from '../check/sidebyside.js';

interface Place {
  readonly name: string;
  readonly folder?: string;
  readonly alone?: true;
}

/** Which parts run whenever one begins. */
async function runningAt(parts: readonly Place[], turns: Record<string, number> = {}) {
  const running = new Set<string>();
  const seen: string[] = [];
  await sideBySide(parts, async ({ name }) => {
    running.add(name);
    seen.push([...running].join(' '));
    for (let i = 0; i < (turns[name] ?? 1); ++i) await new Promise(setImmediate);
    running.delete(name);
  });
  return seen;
}

describe('parts side by side', () => {
  it('are two at a time, in their order', async () => {
    const parts = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    expect(await runningAt(parts, { a: 3 })).to.deep.equal(['a', 'a b', 'a c']);
  });

  it('never have one folder: a later part comes before one that has to wait for its folder', async () => {
    const parts = [
      { name: 'a', folder: 'x' },
      { name: 'b', folder: 'x' },
      { name: 'c', folder: 'y' },
    ];
    expect(await runningAt(parts, { a: 3 })).to.deep.equal(['a', 'a c', 'b']);
  });

  it('are followed by those that want to be alone', async () => {
    const parts = [{ name: 'a', alone: true as const }, { name: 'b' }, { name: 'c' }];
    expect(await runningAt(parts)).to.deep.equal(['b', 'b c', 'a']);
  });

  it('end with the failure of a check', async () => {
    const failing = sideBySide<Place>([{ name: 'a' }], () => Promise.reject(new Error('no disk')));
    const failure = await failing.catch((error: Error) => error.message);
    expect(failure).to.equal('no disk');
  });
});
