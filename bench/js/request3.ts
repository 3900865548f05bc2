import { type IAsyncSteps, run, steps } from 'steptree';
import { requests3, work } from './requests.js';

const body = (_: IAsyncSteps, n: number) => work(n);
const three = steps(body, body, body);

/** A request with three async bodies, one after the other, a deadline and a signal. */
export const request3 = requests3((ms) => {
  const request = three.timeout(ms);
  return (n, signal) => run(request.with(n), { signal });
});
