// The page: what the server sends is shown, what is chosen is asked for.

import type { Frame, Held, Hello, Row, View } from '../js/src/imessages.js';
import { Connection } from './connection.js';
import { Detail } from './detail.js';
import { byId, make, setText } from './dom.js';
import { Filters } from './filters.js';
import { List } from './list.js';
import { Panels } from './panels.js';
import { Chart } from './timeline.js';
import { count, duration } from './words.js';

const state = byId('state');
const none = byId('none');
const time = byId('time');
const pause = byId<HTMLButtonElement>('pause');
const dialog = byId<HTMLDialogElement>('confirm');

let isPaused = false;
let mayCancel = false;
let isVirtual = false;
let open: number | undefined;
/** What the dialog asks for. */
let asked: number;
/** The number of the view, and of the first one with these filters: rows of one before aren't shown. */
let number = 0;
let oldest = 0;

const totals = (['running', 'begun', 'ok', 'failed', 'cancelled'] as const).map((name) => {
  const figure = make('div');
  const number = make('dd', '', '0');
  figure.append(make('dt', '', name), number);
  byId('totals').append(figure);
  return { name, number };
});

const filters = new Filters(() => {
  list.reset();
  oldest = number + 1;
  look();
});
const list = new List({ moved: () => look(), opened: (row) => toggle(row) });
const detail = new Detail({
  close: () => shut(),
  cancel: ask,
  open: (run) => expand(run, undefined),
});
const panels = new Panels({
  guard: (guard) => filters.choose(guard),
  code: (code) => filters.chooseCode(code),
  open: (run) => expand(run, undefined),
});
const chart = new Chart();
const connection = new Connection({
  hello,
  message(message) {
    if (message.type === 'frame') frame(message);
    else if (message.type === 'held') held(message);
    else say('lost', 'the program has closed the inspector');
  },
  lost: () =>
    say('lost', 'no connection: the program has ended, or 8 pages are open. Trying again'),
});

function say(what: 'live' | 'paused' | 'held' | 'lost', words: string): void {
  state.dataset['state'] = what;
  setText(state, words);
}

function hello({ program, version, cancel, virtual }: Hello): void {
  document.title = `${program} · steptree`;
  setText(byId('program'), program);
  byId('program').title = `steptree ${version}`;
  mayCancel = cancel;
  isVirtual = virtual;
  byId('may-cancel').hidden = !cancel;
}

function frame(message: Frame): void {
  if (isPaused) return;
  say('live', 'live');
  for (const { name, number } of totals) setText(number, count(message.totals[name]));
  detail.show(message, mayCancel);
  panels.show(message);
  chart.show(message.timeline);
  setText(time, isVirtual ? `virtual time: ${count(message.time)} ms` : '');
  if ((message.number ?? 0) < oldest) return;
  filters.show(message);
  list.show(message, open);
  none.hidden = message.found > 0;
  setText(none, message.totals.running === 0 ? 'No flow runs' : 'No flow is like that');
}

function held({ ms, flow, name, path }: Held): void {
  const who = flow === undefined ? 'by other code' : `by flow ${flow}${name && ` "${name}"`}`;
  say('held', `the loop is held since ${duration(ms)} ${who}${path ? `, in ${path}` : ''}`);
}

function look(): void {
  const view: View = { ...filters.wanted(), ...list.wanted(), number: ++number };
  if (open !== undefined) view.open = open;
  connection.look(view);
}

function toggle(row: Row): void {
  if (row.run === open) shut();
  else expand(row.run, row);
}

function expand(run: number, row: Row | undefined): void {
  open = run;
  detail.open(row);
  look();
}

function shut(): void {
  open = undefined;
  detail.close();
  list.element.focus();
  look();
}

/** It's asked whether it's meant. */
function ask(row: Row): void {
  if (!mayCancel || dialog.open) return;
  const { run, id, name, path } = row;
  const what = `Cancel flow ${id}${name && ` "${name}"`}, which is at ${path}?`;
  setText(byId('confirm-what'), what);
  asked = run;
  dialog.showModal();
}

// At once: a dialog's "close" comes later, when it may have been opened for another flow.
dialog.addEventListener('submit', ({ submitter }) => {
  if ((submitter as HTMLButtonElement).value === 'yes') connection.cancel(asked);
});

function setPaused(to: boolean): void {
  isPaused = to;
  pause.setAttribute('aria-pressed', `${to}`);
  if (to) say('paused', 'paused: what is shown stands still');
  else look();
}

pause.addEventListener('click', () => setPaused(!isPaused));

function back(): void {
  if (document.activeElement === filters.text && filters.text.value === '') list.element.focus();
  else if (document.activeElement !== filters.text && open !== undefined) shut();
  else if (!filters.isAny) filters.clear();
}

document.addEventListener('keydown', (event) => {
  if (dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key, target } = event;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (key === 'Escape') back();
  else if (isTyping) {
    if (target !== filters.text || (key !== 'ArrowDown' && key !== 'Enter')) return;
    list.element.focus();
    list.select(0);
  } else if (key === '/') filters.text.focus();
  else if (key === 'p') setPaused(!isPaused);
  else if (key === 'c') {
    if (!list.act(ask) && detail.row !== undefined) ask(detail.row);
  } else return;
  event.preventDefault();
});

list.element.focus();
