// A program in which events of every kind occur.

import {
  all,
  AsyncSteps,
  delay,
  type IAsyncSteps,
  map,
  Mutex,
  retry,
  step,
  steps,
  sync,
  type VirtualTool,
} from '../src/index.js';

const nothing = () => {};
const recover = (asi: IAsyncSteps) => asi.success();

/** Events of every kind: loops, branches, sections, sequences, attempts, limits, errors, cancels. */
export function startMixed(tool: VirtualTool): void {
  const db = new Mutex({ name: 'db' });
  const section = (name: string) => sync(db, steps(nothing, delay(2)).named(name));
  const flaky = retry({ max: 3, backoff: { base: 1 } }, (asi) => asi.error('Flaky'));
  const page = steps(
    steps(nothing, steps(nothing, delay(1)).named('deep')),
    all(section('cart'), section('mails'), delay(4)),
    map([1, 2, 3], { limit: 2 }, (asi) => void asi.add(delay(1))),
    step((asi) => {
      asi.loop((each) => {
        each.add((inner) => each.state['rounds']++ > 2 && inner.break());
      });
      asi.state['rounds'] = 0;
    }),
    flaky.onError(recover),
    step((asi) => {
      asi.defer(() => delay(1));
      asi.setCancel(nothing);
      asi.add(delay(50));
    })
      .timeout(3)
      .onError(recover),
  );
  const options = { name: 'page', unhandled: nothing };
  tool.start(page, options);
  tool.start(page.timeout(6), options);
  const ended = new AsyncSteps({ tool, name: 'ended', unhandled: nothing });
  ended.add((asi) => void asi.add((inner) => void inner.waitExternal()).setCancel(nothing));
  ended.execute();
  tool.deferred(5, () => ended.cancel());
}
