/**
 * Makes the site of this version: static files below `build/site/<version>/`, which may stand at any address.
 *
 *     npm run site
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cppModules, jsModules } from './api.js';
import { Api } from './apipages.js';
import { chartsPage } from './charts.js';
import { deadLinks } from './dead.js';
import { exampleLink } from './examples.js';
import { type Framed, frame } from './frame.js';
import { linksOf, type Needs } from './links.js';
import { render } from './markdown.js';
import { pages, sections } from './pages.js';
import { examples, playgroundPage, typesOfAll, writeTypes } from './playground.js';
import { output, root, textOf, version } from './root.js';
import { bundleScripts } from './scripts.js';
import { entriesOf } from './searching.js';
import { sourcePages } from './sources.js';
import { casesOfRule, suite, suitePages } from './suite.js';
import { writeVersions } from './versions.js';

const folder = join(output, version);
rmSync(folder, { recursive: true, force: true });

function write(url: string, text: string): void {
  const path = join(folder, url);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const needs: Needs = { copied: new Set(), sources: new Set() };
const types = writeTypes();
const api = new Api([
  { lang: 'ts', title: 'JavaScript and TypeScript', modules: jsModules(types) },
  { lang: 'cpp', title: 'C++', modules: cppModules() },
]);
const around = [...sections(), ...api.sections()];
const entries = [];
const made: Framed[] = [];
for (const { file, url, title } of pages.values()) {
  const rendered = render(textOf(file), linksOf(file, url, needs), (rule) =>
    casesOfRule(rule, url),
  );
  const html = rendered.html.replace('</h1>', () => `</h1>\n${exampleLink(file)}`);
  made.push({ url, title, ...rendered, html });
  entries.push(...entriesOf(url, title, rendered));
}
entries.push(...api.entries());
made.push(chartsPage(JSON.parse(textOf('bench/results/latest.json'))));
made.push(playgroundPage(), ...api.pages(), ...suitePages(), ...sourcePages(needs));
for (const framed of made) write(framed.url, frame(framed, around));
for (const file of needs.copied) cpSync(join(root, file), join(folder, file));
cpSync(join(root, 'site/style/icon.svg'), join(folder, 'icon.svg'));
write('search.json', JSON.stringify(entries));
write('cases.json', JSON.stringify(suite.map(({ program }) => program)));
write('playground/examples.json', JSON.stringify(examples));
write('playground/types.json', JSON.stringify(typesOfAll(types)));
bundleScripts(folder);
writeVersions(output);

const dead = deadLinks(folder);
for (const link of dead) console.error(link);
console.log(`${made.length} pages in build/site/${version}, ${dead.length} dead link(s)`);
process.exitCode = dead.length === 0 ? 0 : 1;
