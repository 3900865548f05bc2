// Objects of the runtime's own that the program has changed, or put something around.

import { expect } from 'chai';
import {
  type IAsyncSteps,
  type ICompletion,
  Mutex,
  StepError,
  delay,
  retry,
  any,
  step,
} from '../src/index.js';
import { countsRejections, endOf, type Fill } from './hostile.js';

/** Without anything that it has inherited. */
const bare = (error: unknown) => Object.setPrototypeOf(error, null);

/** Spoils the error that passes. */
const spoil = ({ state }: IAsyncSteps) => void bare(state.last_exception);
const recover = (asi: IAsyncSteps, code: string) => asi.success(`caught ${code}`);
const throwBare = () => {
  throw bare(new StepError('E'));
};

/** Ways of an error that has lost its prototype, and how they end. */
const ways: { [name: string]: [Fill, string] } = {
  thrown: [(flow) => flow.add(throwBare, recover), 'ok caught E'],
  'thrown by an async body': [(flow) => flow.add(async () => throwBare(), recover), 'ok caught E'],
  'thrown again': [
    (flow) =>
      flow.add(
        (asi) =>
          asi.add(throwBare, ({ state }) => {
            throw state.last_exception;
          }),
        recover,
      ),
    'ok caught E',
  ],
  unhandled: [(flow) => flow.add((asi) => asi.error('E'), spoil), 'error E'],
  'with a later one beside it': [
    (flow) =>
      flow.add((asi) => {
        let done: ICompletion;
        const branches = asi.parallel();
        branches.add((asi) => void (done = asi.waitExternal()));
        branches.add((asi) => {
          done.error('Late');
          asi.error('E');
        }, spoil);
      }, recover),
    'ok caught E',
  ],
  'claimed, and overtaken': [
    (flow) =>
      flow.add((asi) => {
        let done: ICompletion;
        const branches = asi.parallel();
        branches.add((asi) => void (done = asi.waitExternal()));
        branches.add(() => {
          done.error('Late', '', bare(new Error('cause')));
          throwBare();
        });
      }, recover),
    'ok caught E',
  ],
  'of an attempt': [
    (flow) =>
      flow.add(retry({ max: 3, backoff: { base: 0 } }, (asi) => asi.error('E')).onError(spoil)),
    'error E',
  ],
  'of an attempt, named by who knows': [
    (flow) => {
      const on = () => throwBare();
      flow.add(retry({ max: 3, backoff: { base: 0 }, on }, (asi) => asi.error('A')));
    },
    'error E',
  ],
  'of an any': [
    (flow) =>
      flow.add(any(throwBare, step((asi) => asi.error('F')).onError(spoil)).onError(recover)),
    'ok caught AllFailed',
  ],
  'kept by a cleanup that spoils it': [
    (flow) =>
      flow.add((asi) => {
        let kept: unknown;
        asi.add((asi) => {
          asi.defer((asi) => {
            bare(kept);
            asi.error('D');
          });
          asi.add(
            (asi) => asi.error('E'),
            ({ state }) => {
              kept = state.last_exception;
            },
          );
        });
      }, recover),
    'ok caught E',
  ],
  'of a cleanup': [
    (flow) => flow.add((asi) => void asi.add((asi) => asi.defer(throwBare)), recover),
    'ok caught E',
  ],
  'replaced by a handler': [
    (flow) =>
      flow.add(
        (asi) =>
          asi.add(
            (asi) => asi.error('E'),
            (asi) => {
              spoil(asi);
              asi.error('F');
            },
          ),
        recover,
      ),
    'ok caught F',
  ],
};

const proxied = (asi: IAsyncSteps): IAsyncSteps => new Proxy(asi, {});

/** What is done with proxies of accessors, and how that ends. */
const uses: { [name: string]: [Fill, string] } = {
  'a timeout of the step': [
    (flow) =>
      flow.add(
        (asi) => proxied(asi).setTimeout(5),
        (asi, code) => recover(proxied(asi), code),
      ),
    'ok caught Timeout',
  ],
  'a timeout around steps': [
    (flow) =>
      flow.add((asi) => {
        proxied(asi).setTimeout(5);
        proxied(asi).add((asi) => void proxied(asi).waitExternal());
      }, recover),
    'ok caught Timeout',
  ],
  'a timeout in an attempt': [
    (flow) =>
      flow.add(
        retry({ max: 2, backoff: { base: 0 } }, (asi, attempt) => {
          proxied(asi).setTimeout(5);
          if (attempt === 2) proxied(asi).success(attempt);
        }),
      ),
    'ok 2',
  ],
  'time that remains': [
    (flow) =>
      flow.add((asi) => {
        proxied(asi).setTimeout(10_000);
        asi.add((asi) => asi.success(proxied(asi).remaining() > 5000));
      }),
    'ok true',
  ],
  'a signal': [
    (flow) =>
      flow.add(
        (asi) => {
          const { signal } = proxied(asi);
          asi.state['signal'] = signal;
          proxied(asi).setTimeout(5);
        },
        (asi) => asi.success(asi.state['signal'].aborted),
      ),
    'ok true',
  ],
  'a completion': [
    (flow, tool) =>
      flow.add((asi) => {
        const done = proxied(asi).waitExternal();
        tool.immediate(() => done.success(5));
      }),
    'ok 5',
  ],
  'loop control': [
    (flow) => flow.loop((asi) => proxied(asi).break()).add((asi) => proxied(asi).success(1)),
    'ok 1',
  ],
  cleanup: [
    (flow) =>
      flow.add((asi) => {
        asi.add((asi) => proxied(asi).defer((asi) => proxied(asi).error('D')));
      }, recover),
    'ok caught D',
  ],
  branches: [
    (flow) =>
      flow.add((asi) => {
        const branches = proxied(asi).parallel();
        branches.add((asi) => proxied(asi).setTimeout(10_000));
        branches.add((asi) => proxied(asi).error('E'));
      }, recover),
    'ok caught E',
  ],
  locks: [
    (flow) => {
      const mutex = new Mutex();
      flow.add((asi) => {
        const branches = proxied(asi).parallel();
        const wait = (inner: IAsyncSteps) => void proxied(inner).add(delay(1));
        branches.sync(mutex, wait).sync(mutex, wait);
      });
      flow.sync(mutex, (asi) => asi.success('free'));
    },
    'ok free',
  ],
  'use when it is too late': [
    (flow) =>
      flow.add((asi) => {
        const late = proxied(asi);
        asi.add(() => late.setTimeout(5), recover);
      }),
    'ok caught InternalError',
  ],
};

describe('objects of the runtime that a program has changed', function () {
  this.timeout(60_000);
  countsRejections();

  for (const [name, [fill, end]] of Object.entries(ways)) {
    it(`an error without a prototype goes its way: ${name}`, async () => {
      expect(await endOf(fill)).to.equal(end);
    });
  }

  for (const [name, [fill, end]] of Object.entries(uses)) {
    it(`a proxy of an accessor is taken for what it stands for: ${name}`, async () => {
      expect(await endOf(fill)).to.equal(end);
    });
  }
});
