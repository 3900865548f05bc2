import { AsyncSteps, defaultTool, errors } from 'steptree';

function load(asi, page, key, ms) {
  const done = asi.waitExternal(); // safe to keep, to copy, to call late
  const timer = defaultTool.deferred(ms, () => done.success((page[key] = `${key} of ${page.id}`)));
  asi.setCancel(() => timer.cancel()); // whoever ends this step stops its work, too
}

function show(asi, id) {
  asi.setTimeout(500); // a deadline for everything below
  const page = { id }; // of this call, however many run at a time; asi.state is the whole flow's
  const both = asi.parallel();
  both.add((step) => load(step, page, 'user', 20)).add((step) => load(step, page, 'cart', 10));
  asi.add((step) => step.success(`${page.user}, ${page.cart}`));
}

const flow = new AsyncSteps();
flow.add(
  (asi) => show(asi, 'Ann'),
  (asi, code) => code === errors.Timeout && asi.success('try later'),
);
console.log(await flow.promise());
