import { AsyncSteps, defaultTool, errors } from 'steptree';

function load(asi, key, ms) {
  const done = asi.waitExternal(); // safe to keep, to copy, to call late
  const timer = defaultTool.deferred(ms, () => done.success((asi.state[key] = `${key}!`)));
  asi.setCancel(() => timer.cancel()); // whoever ends this step stops its work, too
}

const flow = new AsyncSteps();
flow.add(
  (asi) => {
    asi.setTimeout(500); // a deadline for everything below
    const both = asi.parallel();
    both.add((asi) => load(asi, 'user', 20)).add((asi) => load(asi, 'cart', 10));
    asi.add((asi) => asi.success(`${asi.state.user} ${asi.state.cart}`));
  },
  (asi, code) => code === errors.Timeout && asi.success('try later'),
);
console.log(await flow.promise());
