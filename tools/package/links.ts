import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** To another file: what it says, and its path. A lambda of C++ says nothing. */
export const link = /!?\[([^\]]+)\]\(([\w-]*[./][\w./-]*)(?:#[^)]*)?\)/g;
export const picture = /<picture>.* src="([^"]+)".*<\/picture>\n?/g;

/** What a page says without the links and pictures of files that aren't there. */
export function withoutDeadLinks(text: string, page: string): string {
  const has = (path: string) => existsSync(join(dirname(page), path));
  return text
    .replaceAll(picture, (whole, path: string) => (has(path) ? whole : ''))
    .replaceAll(link, (whole, words: string, path: string) => (has(path) ? whole : words));
}
