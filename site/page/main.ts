// What every page has: copying, the theme, the search, other versions. Nothing of it is needed to read.

import { copyButtons } from './copy.js';
import { playerButtons } from './players.js';
import { reachable } from './scrolling.js';
import { openSearch } from './search.js';
import { themeButton } from './theme.js';
import { versionMenu } from './versions.js';

/** From this page to the folder of its version. */
const root = new URL(document.documentElement.dataset['root'] || '.', location.href);

copyButtons();
reachable();
playerButtons();
void versionMenu(root);

const search = document.querySelector<HTMLButtonElement>('#search')!;
search.hidden = false;
search.addEventListener('click', () => openSearch(root));
document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isWritten =
    target instanceof Element && target.closest('input, textarea, [contenteditable]');
  if (key !== '/' || isWritten || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  openSearch(root);
});

themeButton(); // last: a browser that keeps nothing refuses it
