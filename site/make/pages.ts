/** Which pages there are, and where each of them stands in the site: a file of Markdown is a page, at the place that it has in the repository. */
import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';
import { root, textOf } from './root.js';

export interface Page {
  /** The file that it's made of. */
  readonly file: string;
  /** From the folder of the version on. */
  readonly url: string;
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** What else than the guide and the rules has pages. */
const others = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'bench/results/table.md',
  'conformance/README.md',
  'python/README.md',
];

export const tracked: readonly string[] = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard'],
  { cwd: root, encoding: 'utf8' },
)
  .trim()
  .split('\n');

const isPage = (file: string) =>
  /^(?:docs|spec|eslint\/docs)\/.*\.md$/.test(file) || others.includes(file);

/** `docs/README.md` is what a folder shows. */
export function urlOf(file: string): string {
  const path = file.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
  return path === 'CHANGELOG.html' ? 'changelog.html' : path;
}

export const titleOf = (text: string) =>
  (/^# (.*)$/m.exec(text)?.[1] ?? '').replaceAll(/[`*]|\]\(.*?\)|\[/g, '');

export const pages: ReadonlyMap<string, Page> = new Map(
  tracked.filter(isPage).map((file) => {
    return [file, { file, url: urlOf(file), title: titleOf(textOf(file)) }];
  }),
);

export function page(file: string): Page {
  const found = pages.get(file);
  if (found === undefined) throw new Error(`${file} is no page`);
  return found;
}

/** The pages that a page leads to, in its order: whatever it lists first comes first. */
function listed(file: string, text: string): Page[] {
  const names = [...text.matchAll(/\]\(([\w/.-]+\.md)\)/g)].map(([, to]) =>
    posix.join(posix.dirname(file), to!),
  );
  return [...new Set(names)].map(page);
}

const below = (heading: string, text: string) => text.slice(text.indexOf(heading));

/** What stands beside the pages of a folder. */
export function sections(): Section[] {
  const guide = listed('docs/README.md', textOf('docs/README.md'));
  const isComing = ({ file }: Page) => file.startsWith('docs/coming-from/');
  const rules = listed('spec/README.md', below('## Chapters', textOf('spec/README.md')));
  const lints = [...pages.values()].filter(({ file }) => file.startsWith('eslint/docs/'));
  const isGuide = (each: Page) => each.file.startsWith('docs/') && !isComing(each);
  return [
    { title: 'Guide', pages: [page('docs/README.md'), ...guide.filter(isGuide)] },
    { title: 'Coming from', pages: guide.filter(isComing) },
    { title: 'Rules', pages: [page('spec/README.md'), ...rules] },
    { title: 'Mistakes that ESLint finds', pages: lints },
    {
      title: 'Project',
      pages: others.filter((file) => file !== 'README.md').map(page),
    },
  ];
}

/** From one place of the site to another, so that it may stand below any address. */
export function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path === '' ? posix.basename(to) : path;
}
