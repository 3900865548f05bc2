/** Where the links of a page lead: to other pages, or to files of the repository, which then are shown in the site, too. */
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pages, relative } from './pages.js';
import { root } from './root.js';

export interface Needs {
  /** Shown as they are: pictures. */
  readonly copied: Set<string>;
  /** Files and folders that get a page which shows them. */
  readonly sources: Set<string>;
}

const isAway = (href: string) => /^(?:[a-z]+:|#)/.test(href);
const isPicture = (file: string) => /\.(?:svg|png)$/.test(file);

export const sourceUrl = (file: string) => `source/${file}.html`;

/** For the links of one page, at its address. */
export function linksOf(file: string, url: string, needs: Needs): (href: string) => string {
  return (href) => {
    if (isAway(href)) return href;
    const [path = '', anchor] = href.split('#');
    const target = posix.join(posix.dirname(file), path).replace(/\/$/, '');
    const behind = anchor === undefined ? '' : `#${anchor}`;
    const known = pages.get(target) ?? pages.get(`${target}/README.md`);
    if (known !== undefined) return relative(url, known.url) + behind;
    if (!existsSync(join(root, target))) throw new Error(`${file}: ${href} leads nowhere`);
    if (isPicture(target)) {
      needs.copied.add(target);
      return relative(url, target);
    }
    needs.sources.add(target);
    return relative(url, sourceUrl(target)) + behind;
  };
}

export const isFolder = (file: string) => statSync(join(root, file)).isDirectory();
