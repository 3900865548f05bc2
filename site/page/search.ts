// The search: a dialog, which opens at once, so that no letter is lost, and an index that is made in the browser of what search.json has.

import type { Entry } from '../make/searching.js';
import { wordsOf } from './asked.js';
import type { Finder } from './finding.js';
import { loaded, notLoaded } from './load.js';

const most = 30;
let made: HTMLDialogElement | undefined;

export function openSearch(root: URL): void {
  const dialog = (made ??= makeDialog(root));
  dialog.showModal();
  dialog.querySelector('input')!.select();
}

function makeDialog(root: URL): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Search');
  dialog.innerHTML =
    '<form method="dialog"><input type="search" aria-label="Search for" autocomplete="off"><button>Close</button></form><p role="status"></p><ol></ol>';
  const input = dialog.querySelector('input')!;
  let find: Finder | undefined;
  /** Enter that came before there was an index. */
  let isEntered = false;
  const show = () => {
    if (find === undefined) return say(dialog, 'Loading …');
    showFound(dialog, root, find(input.value), input.value);
    if (isEntered) follow(dialog);
    isEntered = false;
  };
  input.addEventListener('input', show);
  dialog.addEventListener('keydown', (event) =>
    move(dialog, event, () => (isEntered = find === undefined)),
  );
  dialog.addEventListener('close', () => (isEntered = false));
  dialog.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) dialog.close();
  });
  document.body.append(dialog);
  finderFrom(root).then(
    (made) => {
      find = made;
      show();
    },
    (failure) => say(dialog, notLoaded('The search', failure)),
  );
  return dialog;
}

async function finderFrom(root: URL): Promise<Finder> {
  const [{ finderOf }, entries] = await Promise.all([
    import('./finding.js'),
    loaded<Entry[]>(new URL('search.json', root)),
  ]);
  return finderOf(entries);
}

const say = (dialog: HTMLDialogElement, words: string) => {
  dialog.querySelector('[role=status]')!.textContent = words;
};

function showFound(
  dialog: HTMLDialogElement,
  root: URL,
  found: readonly Entry[],
  asked: string,
): void {
  say(dialog, asked.trim() === '' ? '' : `${found.length} found`);
  const items = found.slice(0, most).map(({ id, page, title, text }) => {
    const item = document.createElement('li');
    const link = item.appendChild(document.createElement('a'));
    link.href = new URL(id, root).href;
    link.textContent = page === title ? page : `${page}: ${title}`;
    link.appendChild(document.createElement('span')).textContent = excerpt(text, asked);
    return item;
  });
  dialog.querySelector('ol')!.replaceChildren(...items);
}

/** What stands around the first word that was asked for. */
function excerpt(text: string, asked: string): string {
  const low = text.toLowerCase();
  const places = wordsOf(asked).map((word) => low.indexOf(word.toLowerCase()));
  const at = Math.max(0, (places.find((place) => place >= 0) ?? 0) - 60);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 160)}${at + 160 < text.length ? '…' : ''}`;
}

/** Arrows go through what was found; Enter in the field takes the first. */
function move(dialog: HTMLDialogElement, event: KeyboardEvent, entered: () => void): void {
  const stops = [...dialog.querySelectorAll<HTMLElement>('input, li a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)]!.focus();
  } else if (event.key === 'Enter' && at === 0) {
    event.preventDefault();
    entered();
    follow(dialog);
  }
}

const follow = (dialog: HTMLDialogElement) => dialog.querySelector<HTMLElement>('li a')?.click();
