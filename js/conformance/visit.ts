// What stands where in a case: its actions and forms, those inside of another before it.

import type { Case } from './run.js';
import type { Action } from './world.js';

type Parts = { [key: string]: any };

/** Lists of actions and forms that stand in an action, and forms that stand as a value in one. */
const lists = ['do', 'catch', 'try', 'setCancel', 'immediate', 'sink', 'steps', 'lock', 'unlock'];
const parts = ['body', 'wrapped', 'returnStep'];

/** Of a form: whether it stands where only a value may. */
type See = (action: Action, isPart: boolean) => void;

export function visitCase({ flows, guards = {}, start, events = [] }: Case, see: See): void {
  for (const level of Object.values(flows)) visitAll(level, see);
  for (const { custom = {} } of Object.values(guards)) visitInside(custom, see);
  visitAll(start, see);
  for (const event of events) visitInside(event, see);
}

function visitAll(actions: unknown, see: See, isPart = false): void {
  if (!Array.isArray(actions)) return;
  for (const action of actions) visit(action, see, isPart);
}

function visit(action: Action, see: See, isPart: boolean): void {
  if (typeof action !== 'string') visitInside(action, see);
  see(action, isPart);
}

function visitInside(action: Parts, see: See): void {
  for (const list of lists) visitAll(action[list], see);
  visitAll(action['parts'], see, true);
  visitAll(action['branches'], see, action['parallel'] === undefined);
  for (const part of parts) if (action[part] !== undefined) visit(action[part], see, true);
  for (const wrap of action['wraps'] ?? []) visitAll(wrap.do, see);
  for (const at of [action['at'], action['of']?.at]) {
    for (const list of Object.values(at ?? {})) visitAll(list, see);
  }
}
