// The search: a dialog, and an index that is made in the browser of what search.json has.

import MiniSearch from 'minisearch';
import type { Entry } from '../make/searching.js';

const most = 30;
let opened: Promise<HTMLDialogElement> | undefined;

export async function openSearch(root: URL): Promise<void> {
  const dialog = await (opened ??= makeDialog(root));
  dialog.showModal();
  dialog.querySelector('input')!.select();
}

async function makeDialog(root: URL): Promise<HTMLDialogElement> {
  const entries: Entry[] = await (await fetch(new URL('search.json', root))).json();
  const index = new MiniSearch<Entry>({
    fields: ['title', 'page', 'text'],
    storeFields: ['page', 'title', 'text'],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  index.addAll(entries);
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Search');
  dialog.innerHTML =
    '<form method="dialog"><input type="search" aria-label="Search for" autocomplete="off"><button>Close</button></form><p role="status"></p><ol></ol>';
  const input = dialog.querySelector('input')!;
  const show = () =>
    showFound(dialog, root, index.search(input.value) as unknown as Entry[], input.value);
  input.addEventListener('input', show);
  dialog.addEventListener('keydown', (event) => move(dialog, event));
  dialog.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}

function showFound(
  dialog: HTMLDialogElement,
  root: URL,
  found: readonly Entry[],
  asked: string,
): void {
  dialog.querySelector('[role=status]')!.textContent =
    asked.trim() === '' ? '' : `${found.length} found`;
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
  const [word = ''] = asked.toLowerCase().split(/\s+/);
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 160)}${at + 160 < text.length ? '…' : ''}`;
}

/** Arrows go through what was found; Enter in the field takes the first. */
function move(dialog: HTMLDialogElement, event: KeyboardEvent): void {
  const stops = [...dialog.querySelectorAll<HTMLElement>('input, li a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)]!.focus();
  } else if (event.key === 'Enter' && at === 0) {
    event.preventDefault();
    stops[1]?.click();
  }
}
