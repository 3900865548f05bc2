import { all, defaultTool, errors, run, step, steps } from 'steptree';

const load = (key, ms) =>
  step((asi, id) => {
    const done = asi.waitExternal(); // safe to keep, to copy, to call late
    const timer = defaultTool.deferred(ms, () => done.success(`${key} of ${id}`));
    asi.setCancel(() => timer.cancel()); // whoever ends this step stops its work, too
  });

const profile = steps(
  all(load('user', 20), load('cart', 10)), // side by side, each with the id
  (asi, [user, cart]) => `${user}, ${cart}`, // what a body returns is its result; `false` is none
)
  .timeout(500) // a deadline for all of it
  .onError((asi, code) => code === errors.Timeout && asi.success('try later'));

console.log(await run(profile.with('Ann'))); // described once, run any number of times
