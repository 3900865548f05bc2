/** Pages that show files of the repository which other pages lead to, and what stands in its folders. */
import { posix } from 'node:path';
import { escaped } from './highlight.js';
import { isFolder, type Needs, sourceUrl } from './links.js';
import { codeBlock } from './code.js';
import { pages, relative, tracked } from './pages.js';
import { textOf } from './root.js';
import type { Framed } from './frame.js';

function folder(name: string, url: string, needs: Needs): string {
  const inside = new Set(
    tracked
      .filter((file) => file.startsWith(`${name}/`))
      .map((file) => file.slice(name.length + 1).split('/')[0]!),
  );
  const items = [...inside].sort().map((each) => {
    const file = posix.join(name, each);
    const own = pages.get(file)?.url;
    if (own === undefined) needs.sources.add(file);
    return `<li><a href="${relative(url, own ?? sourceUrl(file))}">${escaped(each)}</a></li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}

/** Makes the pages that are needed, and those that these need. */
export function sourcePages(needs: Needs): Framed[] {
  const made: Framed[] = [];
  // A set that grows is gone through to its end.
  for (const file of needs.sources) {
    const url = sourceUrl(file);
    const text = isFolder(file)
      ? folder(file, url, needs)
      : codeBlock(textOf(file), posix.extname(file).slice(1));
    made.push({ url, title: file, html: `<h1>${escaped(file)}</h1>\n${text}` });
  }
  return made;
}
