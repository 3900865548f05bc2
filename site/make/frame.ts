/** What is around the text of every page. */
import { createHash } from 'node:crypto';
import { escaped } from './highlight.js';
import type { Heading } from './markdown.js';
import { type Page, page, relative, type Section } from './pages.js';
import { version } from './root.js';

export interface Framed {
  readonly url: string;
  readonly title: string;
  readonly html: string;
  readonly headings?: readonly Heading[];
  /** Of pages that have nothing beside them. */
  readonly kind?: 'wide';
  /** A script of its own, by its address in the site. */
  readonly script?: string;
  /** What it may load, and from where. */
  readonly policy?: string;
}

/** Before anything is drawn. */
const theme =
  "document.documentElement.dataset.theme = localStorage.getItem('steptree-theme') ?? ''";

/** A policy knows that script by it. */
export const themeHash = `'sha256-${createHash('sha256').update(theme).digest('base64')}'`;

/** What the header leads to. */
const parts = [
  ['Guide', 'docs/index.html'],
  ['Rules', 'spec/index.html'],
  ['Reference', 'api/index.html'],
  ['Playground', 'playground/index.html'],
  ['Cases', 'cases/index.html'],
  ['Benches', 'bench/charts.html'],
  ['Changes', 'changelog.html'],
] as const;

const isIn = (url: string, part: string) =>
  part.endsWith('/index.html') ? url.startsWith(part.replace('index.html', '')) : url === part;

function header(url: string): string {
  const to = (path: string) => relative(url, path);
  const links = parts.map(([name, path]) => {
    const current = isIn(url, path) ? ' aria-current="true"' : '';
    return `<a href="${to(path)}"${current}>${name}</a>`;
  });
  return `<header><a class="brand" href="${to('index.html')}">steptree</a>
<span class="version"><a href="${to('docs/versions.html')}">${version}</a></span>
<nav aria-label="Parts">${links.join(' ')}</nav>
<span class="tools"><button type="button" id="search" hidden>Search <kbd>/</kbd></button>
<button type="button" id="theme" hidden>Theme: as the system</button></span></header>`;
}

function beside(url: string, sections: readonly Section[]): string {
  const lists = sections.map(({ title, pages }) => {
    const items = pages.map((each) => {
      const current = each.url === url ? ' aria-current="page"' : '';
      return `<li><a href="${relative(url, each.url)}"${current}>${escaped(each.title)}</a></li>`;
    });
    const isOpen = pages.some((each) => each.url === url) ? ' open' : '';
    return `<details${isOpen}><summary>${title}</summary><ul>${items.join('')}</ul></details>`;
  });
  return `<nav class="beside" aria-label="Pages">${lists.join('\n')}</nav>`;
}

function onThisPage(headings: readonly Heading[]): string {
  const found = headings.filter(({ level }) => level === 2);
  if (found.length < 2) return '';
  const items = found.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`);
  return `<nav class="here" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}

/** Those before and behind it in its section. */
function neighbours(url: string, sections: readonly Section[]): string {
  for (const { pages } of sections) {
    const at = pages.findIndex((each) => each.url === url);
    if (at < 0) continue;
    const link = (each: Page | undefined, word: string) =>
      each ? `<a href="${relative(url, each.url)}">${word}: ${escaped(each.title)}</a>` : '';
    const links = [link(pages[at - 1], 'Before'), link(pages[at + 1], 'Next')].filter(Boolean);
    return `<nav class="neighbours" aria-label="Before and next">${links.join(' ')}</nav>`;
  }
  return '';
}

export function frame(framed: Framed, sections: readonly Section[]): string {
  const { url, title, html, headings = [], kind, script, policy } = framed;
  const to = (path: string) => relative(url, path);
  const name = url === 'index.html' ? 'steptree' : `${escaped(title)} · steptree`;
  const own = script ? `<script type="module" src="${to(script)}"></script>\n` : '';
  const allowed = policy ? `<meta http-equiv="Content-Security-Policy" content="${policy}">\n` : '';
  const nav = kind === 'wide' ? '' : beside(url, sections);
  return `<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}">
<head>
<meta charset="utf-8">
${allowed}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<meta name="description" content="Logic as a tree of small steps, with limits, deadlines and cancellation, the same in C++ and JavaScript">
<script>${theme}</script>
<link rel="icon" href="${to('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('site.css')}">
<script type="module" src="${to('main.js')}"></script>
${own}</head>
<body${kind ? ` class="${kind}"` : ''}>
<a class="skip" href="#text">To the text</a>
${header(url)}
<div class="columns">${nav}
<main id="text" tabindex="-1">${html}${neighbours(url, sections)}</main>
${kind === 'wide' ? '' : onThisPage(headings)}</div>
<footer>steptree ${version}, Apache-2.0. <a href="${to(page('CONTRIBUTING.md').url)}">Changing it</a></footer>
</body>
</html>
`;
}
