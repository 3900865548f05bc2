// biome-ignore-all lint/suspicious/noThenProperty: hostile thenables are what is tested

import { expect } from 'chai';
import fc from 'fast-check';
import { AsyncSteps, hedge, map, retry, shield, race } from '../src/index.js';
import type { ToolCore } from '../src/toolcore.js';
import { bench, thrownBy } from './bench.js';
import { countsRejections, endOf, endsOf, fail, type Fill, revokedProxy } from './hostile.js';

type Make = (flow: AsyncSteps, tool: ToolCore) => any;

/** Where a program can hand over an awaitable that a step then waits for. */
const places: { [name: string]: (make: Make) => Fill } = {
  await: (make) => (flow, tool) => flow.add((asi) => asi.await(make(flow, tool))),
  'a body': (make) => (flow, tool) => flow.add(() => make(flow, tool)),
  'a body that has added steps': (make) => (flow, tool) =>
    flow.add((asi) => {
      asi.add(() => {});
      return make(flow, tool);
    }),
  'a branch': (make) => (flow, tool) => flow.add(race(() => make(flow, tool))),
  'an iteration': (make) => (flow, tool) => flow.repeat(2, () => make(flow, tool)),
  'a lock': (make) => (flow, tool) =>
    flow.sync({ lock: () => make(flow, tool), unlock() {} }, () => {}),
  'an attempt of a hedge': (make) => (flow, tool) =>
    flow.add(hedge({ after: 5, max: 1 }, () => make(flow, tool))),
  'an attempt': (make) => (flow, tool) => flow.add(retry({ max: 1 }, () => make(flow, tool))),
  'an item': (make) => (flow, tool) => flow.add(map([1, 2], { limit: 2 }, () => make(flow, tool))),
  'a deferred function': (make) => (flow, tool) =>
    flow.add((asi) => asi.defer(() => make(flow, tool))),
  'a shield': (make) => (flow, tool) => flow.add(shield(1000, () => make(flow, tool))),
  'an async iterable': (make) => (flow, tool) => flow.forEach(stream(make, flow, tool), () => {}),
  'the source of a map': (make) => (flow, tool) =>
    flow.add(map(stream(make, flow, tool), { limit: 1 }, () => {})),
};

function stream(make: Make, flow: AsyncSteps, tool: ToolCore): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => ({ next: () => make(flow, tool) }) };
}

/** Two items fail: what the second one fails with is told, if the first has been heard of before. */
const ofFirst = (place: string, end: string) =>
  place === 'an item' ? end.replace(/, report \w+$/, '') : end;

async function endIn(place: string, fill: Fill): Promise<string> {
  const [virtual, native] = (await endsOf(fill)).map((end) => ofFirst(place, end));
  expect(native).to.equal(virtual);
  return virtual!;
}

const answer = Object.freeze({ done: true, value: 'v' });
/** Steps and a value are a mistake. */
const answerFor = (place: string) => (place === 'a body that has added steps' ? undefined : answer);
const acts = ['ok', 'bad', 'throw', 'nested', 'nested bad', 'itself', 'cancel'] as const;
const times = ['now', 'microtask', 'callback'] as const;

interface Act {
  what: (typeof acts)[number];
  when: (typeof times)[number];
}

/** A thenable that does these things when it is asked. */
function scripted(script: readonly Act[], flow: AsyncSteps, tool: ToolCore): object {
  const thenable = {
    then(ok: (value: unknown) => void, bad: (reason: unknown) => void): unknown {
      const act = {
        ok: () => ok(answer),
        bad: () => bad('Bad'),
        throw: () => bad('Bad'),
        nested: () => ok({ then: (inner: any) => inner(answer) }),
        'nested bad': () => ok({ then: (_: any, inner: any) => inner('Bad') }),
        itself: () => ok(thenable),
        cancel() {
          flow.cancel();
          ok(answer);
        },
      };
      for (const { what, when } of script) {
        if (when === 'microtask') void Promise.resolve().then(act[what]);
        else if (when === 'callback') tool.immediate(act[what]);
        else if (what === 'throw') fail();
        else act[what]();
      }
      return thenable;
    },
  };
  return thenable;
}

const scripts = fc.array(
  fc.record({ what: fc.constantFrom(...acts), when: fc.constantFrom(...times) }),
  { minLength: 1, maxLength: 4 },
);

describe('hostile thenables', () => {
  countsRejections();

  for (const [place, fillWith] of Object.entries(places)) {
    it(`whatever a thenable does, its flow ends once: ${place}`, async () => {
      await fc.assert(
        fc.asyncProperty(scripts, async (script) => {
          for (const end of await endsOf(fillWith((flow, tool) => scripted(script, flow, tool)))) {
            expect(ofFirst(place, end)).to.match(
              /^(ok|error (Bad|Thrown|InternalError)$|cancelled)/,
            );
            expect(end).not.to.contain('waited');
          }
        }),
        { numRuns: 50 },
      );
    });

    it(`a then that can't be read or called fails the step: ${place}`, async () => {
      const unreadable = {
        get then() {
          return fail();
        },
      };
      const proxied = new Proxy({}, { get: fail });
      const uncallable = { then: new Proxy(() => {}, { apply: fail }) };
      for (const hostile of [unreadable, proxied, uncallable]) {
        expect(
          await endIn(
            place,
            fillWith(() => hostile),
          ),
        ).to.equal('error Thrown');
      }
      const revokedThen = { then: revokedProxy(() => {}) };
      for (const revoked of [revokedProxy({}), revokedThen]) {
        expect(
          await endIn(
            place,
            fillWith(() => revoked),
          ),
        ).to.equal('error InternalError');
      }
    });
  }

  it('a then that is another function each time is read once', async () => {
    for (const [place, fillWith] of Object.entries(places)) {
      const fill = fillWith(() => {
        let reads = 0;
        return {
          get then() {
            const read = ++reads;
            return (ok: (value: unknown) => void, bad: (reason: unknown) => void) =>
              read === 1 || place === 'await' ? ok(answerFor(place)) : bad('ReadAgain');
          },
        };
      });
      expect(await endOf(fill), place).to.match(/^ok/);
    }
  });

  it('a native promise whose own then is another function later is awaited by the first', async () => {
    for (const [place, fillWith] of Object.entries(places)) {
      if (place === 'await') continue;
      const fill = fillWith(() => {
        let reads = 0;
        const wrong = (_: unknown, bad: (reason: unknown) => void) => bad('ReadAgain');
        return Object.defineProperty(Promise.resolve(answerFor(place)), 'then', {
          get: () => (++reads === 1 ? Promise.prototype.then : wrong),
        });
      });
      expect(await endOf(fill), place).to.match(/^ok/);
    }
  });

  it('one that never settles leaves its step to limits and cancels', async () => {
    const limited: Record<string, string> = { 'a shield': 'Timeout', 'a deferred function': 'ok' };
    for (const [place, fillWith] of Object.entries(places)) {
      const { tool, flow, run } = bench({ grace: 5 });
      fillWith(() => ({ then() {} }))(flow, tool);
      const end = await run();
      expect(end?.code ?? end?.kind, place).to.equal(limited[place]);
      flow.cancel();
      expect(flow.running(), place).to.equal(false);
    }
  });

  it('what it says late, or again and again, is for nobody', async () => {
    const { flow, run, told, tool } = bench();
    const late: (() => void)[] = [];
    let bodies = 0;
    flow.add(
      (asi) => {
        asi.setTimeout(1);
        return {
          then(ok: any, bad: any) {
            late.push(
              () => ok('late'),
              () => bad('Late'),
              () => ok('later'),
            );
          },
        };
      },
      (asi) => asi.add(() => void bodies++),
    );
    flow.add((asi) => {
      for (const say of late) say();
      tool.deferred(1, () => {
        for (const say of late) say();
      });
      asi.setTimeout(5);
    });
    expect((await run())?.code).to.equal('Timeout');
    expect([bodies, ...told]).to.deep.equal([1]);
  });

  it('one that settles with itself fails the step', async () => {
    for (const [place, fillWith] of Object.entries(places)) {
      const itself = { then: (ok: any) => ok(itself) };
      expect(
        await endIn(
          place,
          fillWith(() => itself),
        ),
        place,
      ).to.equal('error InternalError');
    }
  });

  it('a thenable that is refused by await leaves the caller unharmed', () => {
    const unreadable = {
      get then() {
        return fail();
      },
    };
    const flow = new AsyncSteps();
    expect(thrownBy(() => flow.await(unreadable as never)).code).to.equal('Thrown');
    expect(thrownBy(() => flow.await(revokedProxy({}) as never)).code).to.equal('InternalError');
  });
});
