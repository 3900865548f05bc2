// A step value as text, for people: its name, and the call that has made it.

import { Step } from './step.js';
import { quoted } from './waittext.js';

/** What it consists of is made for nobody, to be asked for its kind. */
export function stepText(this: any): string {
  const work = this.work(new Step(0, null, 0));
  const kind = typeof work === 'function' ? undefined : work.kind;
  return `Step${quoted(this.name ?? '')}${kind === undefined ? '' : ` (${kind})`}`;
}
