// Two loads, and a deadline
import { all, defaultTool, errors, run, step, steps } from 'steptree';

const load = (key: string, ms: number) =>
  step((asi, id: string): string | undefined => {
    const done = asi.waitExternal(); // safe to keep, to copy, to call late
    const timer = defaultTool.deferred(ms, () => done.success(`${key} of ${id}`));
    asi.setCancel(() => timer.cancel()); // whoever ends this step stops its work, too
    return undefined;
  }).named(key);

const profile = steps(
  all(load('user', 600), load('cart', 300)), // side by side, each with the id
  (asi, [user, cart]) => `${user}, ${cart}`,
)
  .timeout(2000) // a deadline for all of it: try 500
  .onError((asi, code) => {
    if (code === errors.Timeout) asi.success('try later');
  });

console.log(await run(profile.with('Ann')));
