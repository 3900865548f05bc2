/** A queued step opens: it is the innermost one of its line now. */
import { startAwait } from './await.js';
import { runBody } from './body.js';
import { startTaking } from './channelloop.js';
import { startDelay, startRelinquish } from './delay.js';
import { startLoop } from './loop.js';
import { startBranches } from './parallel.js';
import type { Kind, Line, Step, Values } from './shape.js';
import { keepFound } from './retry.js';
import { openShield } from './shield.js';
import { startSteps } from './steps.js';
import { lockSection } from './sync.js';

/** What opens in another way than by its body; a retry has its first attempt when its line goes on. */
const opens: { [K in Kind]?: (step: Step, values: Values) => void } = {
  await: startAwait,
  delay: startDelay,
  loop: startLoop,
  parallel: startBranches,
  relinquish: startRelinquish,
  retry: keepFound,
  section: lockSection,
  shield: openShield,
  steps: startSteps,
  taking: startTaking,
};

/** The values that the line has go to a body; every other step drops them. [results-1] [results-3] [results-4] */
export function open(step: Step, line: Line): void {
  const { values } = line;
  line.values = [];
  line.top = step;
  step.line = line;
  step.phase = 'inner';
  const opened = opens[step.kind];
  if (opened !== undefined) opened(step, values);
  else runBody(step, values, true);
}
