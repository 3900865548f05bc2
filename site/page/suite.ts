// Runs all cases of the suite in this page, each as its player does, and says which leave another trace.

import { button, h } from './dom.js';
import { loaded, notLoaded } from './load.js';
import type { Case } from './player/record.js';

type Whole = Case & { readonly case: string; readonly trace: readonly string[] };

const place = document.querySelector('#run-all')!;
const said = h('p', { role: 'status' });
const others = h('ul');
const start = button('Run all cases in this page', () =>
  runAll()
    .catch((failure) => {
      said.textContent = notLoaded('The cases', failure);
    })
    .finally(() => {
      start.disabled = false;
    }),
);
place.append(start, said, others);

async function runAll(): Promise<void> {
  start.disabled = true;
  others.replaceChildren();
  said.textContent = 'Loading the cases';
  const { record } = await import('./player/record.js');
  const cases = await loaded<Whole[]>(new URL('../cases.json', location.href));
  const begun = performance.now();
  let right = 0;
  for (const [i, one] of cases.entries()) {
    const trace = await record(one).then(
      ({ trace }) => trace,
      (failure) => [String(failure)],
    );
    if (JSON.stringify(trace) === JSON.stringify(one.trace)) right++;
    else others.append(h('li', {}, `${one.case}: ${trace.join(', ')}`));
    if (i % 100 === 0) said.textContent = `${i} of ${cases.length}`;
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  said.textContent = `${right} of ${cases.length} cases leave the trace that they have to, in ${seconds} s.`;
}
