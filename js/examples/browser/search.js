import { delay, step, steps } from 'steptree';

const find = async (text, signal) => {
  const answer = await fetch(`search?q=${encodeURIComponent(text)}`, { signal });
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  return answer.json();
};

export const search = steps(
  step((asi, text) => {
    asi.add(delay(150)).add(() => text); // the fingers rest
  }),
  (asi, text) => {
    asi.setCancel(() => navigator.sendBeacon('dropped', text)); // also of a page that goes
    return find(text, asi.signal); // the request is aborted when the step is cancelled
  },
).timeout(3000);
