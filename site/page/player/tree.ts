// A snapshot as lists: flows, their lines, the open steps of each, what the innermost waits for; and guards.

import type { FlowSnapshot, GuardSnapshot, LineSnapshot } from 'steptree';
import { waitText } from '../../../js/conformance/snapshots.js';
import { h } from '../dom.js';

export function treeOf(flows: readonly FlowSnapshot[], guards: readonly GuardSnapshot[]): Node {
  if (flows.length === 0 && guards.length === 0) return h('p', {}, 'No flow runs.');
  return h('ul', { className: 'tree' }, ...flows.map(flowItem), ...guards.map(guardItem));
}

const span = (className: string, words: string) => h('span', { className }, words);

function flowItem({ name, id, state, deadline, line }: FlowSnapshot): Node {
  const item = h('li', {}, span('kind', 'flow '), h('b', {}, name || String(id)));
  if (state !== 'running') item.append(span('state', ` ${state}`));
  if (deadline !== undefined) item.append(span('limit', ` deadline in ${deadline} ms`));
  if (line) item.append(h('ul', {}, lineItem(line)));
  return item;
}

/** Each step stands in the one around it. */
function lineItem({ steps, waits, lines }: LineSnapshot): Node {
  const wait = waits && span('wait', ` ${waitText(waits)}`);
  const inside = lines.map(lineItem);
  let item: HTMLElement | undefined;
  for (const [i, { element, kind, timeout }] of [...steps.entries()].reverse()) {
    const outer = h('li', {}, h('b', {}, element), span('kind', ` ${kind}`));
    if (timeout !== undefined) outer.append(span('limit', ` ${timeout} ms left`));
    if (i === steps.length - 1) {
      if (wait) outer.append(wait);
      if (inside.length > 0) outer.append(h('ul', {}, ...inside));
    } else outer.append(h('ul', {}, item!));
    item = outer;
  }
  return item ?? h('li', {}, 'no step', ...(wait ? [wait] : []), ...inside);
}

function guardItem({ kind, name, id, waiting, active, available, holders }: GuardSnapshot): Node {
  const counts = [
    ...(active === undefined ? [] : [`${active} in`]),
    ...(available === undefined ? [] : [`${available} free`]),
    `${waiting} waiting`,
    ...holders.map(({ path }) => `held at ${path || 'a flow'}`),
  ];
  const title = h('b', {}, name || String(id));
  return h('li', {}, span('kind', `${kind} `), title, span('wait', ` ${counts.join(', ')}`));
}
