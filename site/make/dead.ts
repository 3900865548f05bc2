/** Links of finished pages that lead nowhere, and places in a page that no other has the name of. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

interface Read {
  readonly ids: readonly string[];
  readonly links: readonly string[];
}

function read(path: string): Read {
  const html = readFileSync(path, 'utf8').replaceAll(/<script[^>]*>[\s\S]*?<\/script>/g, '');
  const all = (attribute: RegExp) => [...html.matchAll(attribute)].map(([, value]) => value!);
  return { ids: all(/ id="([^"]*)"/g), links: all(/ (?:href|src|srcset)="([^"]*)"/g) };
}

export function deadLinks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name));
  const pages = new Map(files.map((path) => [path, read(path)]));
  return [...pages].flatMap(([path, { ids, links }]) => {
    const name = relative(folder, path);
    const twice = ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${name}: #${id} twice`);
    const dead = links.filter((link) => isDead(path, link, pages));
    return [...twice, ...dead.map((link) => `${name}: ${link} leads nowhere`)];
  });
}

function isDead(from: string, link: string, pages: ReadonlyMap<string, Read>): boolean {
  if (/^(?:https?|mailto|data):/.test(link)) return false;
  const [path = '', anchor = ''] = link.replace(/\?[^#]*/, '').split('#');
  const target = path === '' ? from : join(dirname(from), decodeURI(path));
  if (!existsSync(target)) return true;
  return anchor !== '' && !(pages.get(target)?.ids.includes(decodeURI(anchor)) ?? false);
}
