/** The cases of the suite: a page for each of their files, with a player for each case; and a list of them by the rules that they show. */
import type { LoadedCase } from '../../conformance/case.js';
import { loadSuite } from '../../conformance/load.js';
import { caseBlock, caseId } from './cases.js';
import type { Framed } from './frame.js';
import { escaped } from './highlight.js';
import { pages, relative } from './pages.js';
import { root, stemOf, textOf } from './root.js';

export const suite: readonly LoadedCase[] = loadSuite(root).cases;

const chapterOf = (rule: string) => rule.replace(/-\d+$/, '');
const urlOfFile = (file: string) => pages.get(file)?.url ?? `cases/${stemOf(file)}.html`;
const rulesUrl = (chapter: string) => `cases/by-rule/${chapter}.html`;

/** A rule may stand in another chapter than its name says. */
const placeOfRule = new Map(
  [...pages.values()]
    .filter(({ file }) => file.startsWith('spec/'))
    .flatMap(({ file, url }) =>
      [...textOf(file).matchAll(/^- \*\*([a-z]+-\d+)\*\*/gm)].map(([, rule]) => [rule!, url]),
    ),
);

const linkOfRule = (rule: string, url: string) =>
  `<a href="${relative(url, placeOfRule.get(rule)!)}#${rule}">${rule}</a>`;

const byRule = new Map<string, LoadedCase[]>();
for (const found of suite)
  for (const rule of found.program.rules) byRule.set(rule, [...(byRule.get(rule) ?? []), found]);

/** Behind each rule: how many cases show it, and where they are. */
export function casesOfRule(rule: string, url: string): string {
  const count = byRule.get(rule)?.length ?? 0;
  if (count === 0) return '';
  const to = relative(url, rulesUrl(chapterOf(rule)));
  return ` <a class="shown" href="${to}#${rule}">${count === 1 ? '1 case' : `${count} cases`}</a>`;
}

/** What of a file is the case, as it is written there. */
function textsIn(file: string, cases: readonly LoadedCase[]): string[] {
  const lines = textOf(file).split('\n');
  return cases.map(({ line }, i) => {
    const end = (cases[i + 1]?.line ?? lines.length + 1) - 1;
    return `${lines
      .slice(line - 1, end)
      .join('\n')
      .trimEnd()}\n`;
  });
}

function rulesOf({ program }: LoadedCase, url: string): string {
  const links = program.rules.map((rule) => linkOfRule(rule, url));
  return `<p>${links.join(', ')}</p>`;
}

/** For who comes by a search, and has read nothing of the suite. */
function howToRead(url: string): string {
  const suite = relative(url, 'conformance/index.html');
  return `<p>Each case is a program, and the trace that it leaves in every implementation. <code>do</code> is what a body does, <code>catch</code> its error handler. In a trace <code>a</code> is the body of a step that begins, <code>a! Timeout</code> its error handler, <code>a~</code> its cancel handler, <code>'@5'</code> the time in milliseconds; <code>main ok</code> or <code>main error Timeout</code> ends the flow. <a href="${suite}#the-trace">All that a trace says</a>, <a href="${suite}">all that a program may say</a>.</p>`;
}

function filePage(file: string, cases: readonly LoadedCase[]): Framed {
  const url = urlOfFile(file);
  const texts = textsIn(file, cases);
  const parts = cases.map((found, i) => {
    const { case: name } = found.program;
    return `<h2>${escaped(name)}</h2>\n${rulesOf(found, url)}\n${caseBlock(texts[i]!, [found.program])}`;
  });
  const title = `Cases: ${stemOf(file).replace('-', ', ')}`;
  return { url, title, html: `<h1>${title}</h1>\n${howToRead(url)}\n${parts.join('\n')}` };
}

function rulesPage(chapter: string): Framed {
  const url = rulesUrl(chapter);
  const rules = [...byRule.keys()].filter((rule) => chapterOf(rule) === chapter);
  const numberOf = (rule: string) => Number(/\d+$/.exec(rule)![0]);
  const parts = rules
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((rule) => {
      const items = byRule.get(rule)!.map((found) => {
        const to = `${relative(url, urlOfFile(found.file))}#${caseId(found.program.case)}`;
        return `<li><a href="${to}">${escaped(found.program.case)}</a></li>`;
      });
      return `<h2 id="${rule}">${linkOfRule(rule, url)}</h2>\n<ul>${items.join('')}</ul>`;
    });
  const title = `Which cases show which rules: ${chapter}`;
  return { url, title, html: `<h1>${title}</h1>\n${parts.join('\n')}` };
}

export function suitePages(): Framed[] {
  const files = [...new Set(suite.map(({ file }) => file))].filter((file) => !pages.has(file));
  const chapters = [...new Set([...byRule.keys()].map(chapterOf))].sort();
  const casesIn = (file: string) => suite.filter((found) => found.file === file);
  const url = 'cases/index.html';
  const fileItems = files.map((file) => {
    const count = casesIn(file).length;
    return `<li><a href="${relative(url, urlOfFile(file))}">${stemOf(file).replace('-', ', ')}</a>: ${count}</li>`;
  });
  const ruleItems = chapters.map(
    (chapter) => `<li><a href="${relative(url, rulesUrl(chapter))}">${chapter}</a></li>`,
  );
  const html = `<h1>Cases</h1>
<p>A case is a program, and the trace that it leaves in every implementation. There are ${suite.length}; each has a player, here and in the <a href="../spec/index.html">rules</a>, which runs it in this page. <a href="../conformance/index.html">How a case is written.</a></p>
<div id="run-all"></div>
<h2 id="by-file">By chapter</h2>\n<ul class="many">${fileItems.join('')}</ul>
<h2 id="by-rule">By rule</h2>\n<ul class="many">${ruleItems.join('')}</ul>`;
  const index: Framed = { url, title: 'Cases', html, script: 'suite.js' };
  return [index, ...files.map((file) => filePage(file, casesIn(file))), ...chapters.map(rulesPage)];
}
