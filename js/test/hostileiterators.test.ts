// biome-ignore-all lint/suspicious/noThenProperty: hostile thenables are what is tested

import { expect } from 'chai';
import fc from 'fast-check';
import { type AsyncSteps, type IAsyncSteps, map, step } from '../src/index.js';
import { countsRejections, endOf, endsOf, fail, type Fill, revokedProxy } from './hostile.js';

const nothing = () => {};
type Call = (flow: AsyncSteps, source: any, body?: (asi: IAsyncSteps) => unknown) => unknown;

/** Whoever walks through a source. */
const walks: { [name: string]: Call } = {
  forEach: (flow, source, body = nothing) => flow.forEach(source, body),
  'forEach of a step': (flow, source, body = nothing) => flow.forEach(source, step(body) as any),
  map: (flow, source, body = nothing) => flow.add(map(source, { limit: 2, sink: nothing }, body)),
};

const iterable = (iterator: unknown) => ({ [Symbol.iterator]: () => iterator });
const stream = (iterator: unknown) => ({ [Symbol.asyncIterator]: () => iterator });
const unreadable = (field: string) =>
  Object.defineProperty({ done: false, value: 1 }, field, { get: fail });
const nexts = [() => ({ done: false, value: 1 }), () => ({ done: true, value: 1 })];

describe('hostile iterators', () => {
  countsRejections();

  for (const [name, walk] of Object.entries(walks)) {
    it(`what is no iterator, or answers with nonsense, fails the step: ${name}`, async () => {
      const garbage = [
        undefined,
        null,
        5,
        5n,
        Symbol('s'),
        'text',
        {},
        revokedProxy({}),
        { next: 5 },
      ];
      for (const iterator of garbage) {
        for (const source of [iterable(iterator), stream(iterator)]) {
          expect(await endOf((flow) => walk(flow, source))).to.equal('error InternalError');
        }
      }
      for (const answer of [undefined, null, 5, 5n, Symbol('s'), 'text', true]) {
        for (const source of [iterable({ next: () => answer }), stream({ next: () => answer })]) {
          expect(await endOf((flow) => walk(flow, source))).to.equal('error InternalError');
        }
      }
    });

    it(`what throws when it is asked fails the step: ${name}`, async () => {
      const iterators: any[] = [
        { next: fail },
        { next: () => unreadable('done') },
        { next: () => unreadable('value') },
        Object.defineProperty({}, 'next', { get: fail }),
        new Proxy({}, { get: fail }),
      ];
      const sources = iterators.flatMap((iterator) => [iterable(iterator), stream(iterator)]);
      for (const key of [Symbol.iterator, Symbol.asyncIterator]) {
        sources.push({ [key]: fail } as any, Object.defineProperty({}, key, { get: fail }) as any);
      }
      for (const source of [
        ...sources,
        new Proxy([1], { get: fail }),
        new Proxy({}, { get: fail }),
        Object.defineProperty([1], '0', { get: fail }),
      ]) {
        expect(await endOf((flow) => walk(flow, source))).to.equal('error Thrown');
      }
      expect(await endOf((flow) => walk(flow, revokedProxy([])))).to.equal('error InternalError');
      expect(await endOf((flow) => walk(flow, revokedProxy({})))).to.equal('error InternalError');
    });

    it(`a return that throws or is none is reported at most: ${name}`, async () => {
      const returns: [unknown, string][] = [
        [fail, ', report Thrown'],
        [async () => fail(), ', report Thrown'],
        [() => ({ then: fail }), ', report Thrown'],
        [revokedProxy(nothing), ', report InternalError'],
        [5, ''],
        [() => 5, ''],
        [undefined, ''],
      ];
      for (const make of [iterable, stream]) {
        for (const [given, told] of returns) {
          const source = make({ next: nexts[0], return: given });
          const end = await endOf((flow) => walk(flow, source, (asi) => asi.error('E')));
          expect(end).to.equal(`error E${told}`);
        }
        const next = nexts[0];
        const source = make(Object.defineProperty({ next }, 'return', { get: fail }));
        const end = await endOf((flow) => walk(flow, source, (asi) => asi.error('E')));
        expect(end).to.equal('error E, report Thrown');
      }
    });

    it(`a cancel wherever a source is asked ends the flow once: ${name}`, async () => {
      const fills: ((cancelled: <T>(value: T) => T) => any)[] = [
        (now) => ({ [Symbol.iterator]: () => now({ next: nexts[0] }) }),
        (now) => iterable({ next: () => now(nexts[0]!()) }),
        (now) =>
          iterable({
            next: () => ({
              get done() {
                return now(false);
              },
            }),
          }),
        (now) =>
          iterable({
            next: () => ({
              done: false,
              get value() {
                return now(1);
              },
            }),
          }),
        (now) =>
          iterable({
            get next() {
              return now(nexts[0]);
            },
          }),
        (now) => stream({ next: async () => now(nexts[0]!()) }),
        (now) =>
          stream({
            next: async () => ({
              get done() {
                return now(false);
              },
            }),
          }),
        (now) => stream({ next: () => ({ then: (ok: any) => ok(now(nexts[0]!())) }) }),
        (now) => new Proxy([1, 2], { get: (list, key) => now(Reflect.get(list, key)) }),
        (now) => Object.defineProperty([1, 2], '0', { get: () => now(1) }),
      ];
      for (const fill of fills) {
        let bodies = 0;
        const end = await endOf((flow) => {
          const source = fill((value) => {
            flow.cancel();
            return value;
          });
          walk(flow, source, () => void bodies++);
        });
        expect(end, `${fill}`).to.equal('cancelled');
        expect(bodies, `${fill}`).to.equal(0);
      }
    });

    it(`whatever an iterator does, the flow ends once: ${name}`, async () => {
      const answers = [
        'one',
        'end',
        'throw',
        'garbage',
        'unreadable',
        'cancel',
        'reject',
        'thenable',
      ];
      const scripts = fc.array(fc.constantFrom(...answers), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(scripts, fc.boolean(), fc.boolean(), async (script, async, breaks) => {
          const fill: Fill = (flow) => {
            let at = 0;
            const next = (): unknown => {
              const what = script[at++] ?? 'end';
              if (what === 'throw') fail();
              if (what === 'garbage') return 5;
              if (what === 'unreadable') return unreadable('value');
              if (what === 'cancel') flow.cancel();
              if (what === 'reject' && async) return Promise.reject('Thrown');
              const answer = { done: what === 'end', value: at };
              return what === 'thenable' && async ? { then: (ok: any) => ok(answer) } : answer;
            };
            const source = (async ? stream : iterable)({ next, return: () => fail() });
            walk(flow, source, (asi) => {
              if (breaks) asi.error('Body');
            });
          };
          for (const end of await endsOf(fill)) {
            expect(end).to.match(
              /^(ok|cancelled|error (Thrown|InternalError|Body))(, report Thrown)?$/,
            );
          }
        }),
        { numRuns: 100 },
      );
    });
  }

  it('lengths and keys that are none end the loop or fail it', async () => {
    const lengths: [unknown, RegExp][] = [
      [Number.NaN, /^ok$/],
      [-1, /^ok$/],
      [2n, /^ok$/],
      ['2', /^ok$/],
      [undefined, /^ok$/],
      [Symbol('s'), /^error InternalError$/],
      [{ valueOf: fail }, /^error Thrown$/],
    ];
    for (const [length, end] of lengths) {
      const list = new Proxy([1, 2], {
        get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)),
      });
      for (const walk of Object.values(walks)) {
        expect(await endOf((flow) => walk(flow, list))).to.match(end);
      }
    }
    const traps = ['ownKeys', 'getOwnPropertyDescriptor', 'get'];
    for (const trap of traps) {
      const object = new Proxy({ a: 1 }, { [trap]: fail });
      for (const body of [nothing, step(nothing)]) {
        const end = await endOf((flow) => flow.forEach(object, body as typeof nothing));
        expect(end, trap).to.equal('error Thrown');
      }
    }
  });
});
