import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pages } from '../guide/run.js';
import { files, folder } from './all.js';
import { width } from './draw.js';
import { crossings, outside } from './words.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shown =
  /<picture><source media="\(prefers-color-scheme: dark\)" srcset="(\S+)-dark\.(svg|png)"><img alt="([^"]*)" src="(\S+)-light\.\2"><\/picture>/g;
const mostBytes = 150_000;

describe('the pictures of the guide', () => {
  const committed = readdirSync(join(root, folder)).sort();
  const textOf = (name: string) => readFileSync(join(root, folder, name), 'utf8');
  let made: Map<string, string>;

  before(async () => {
    made = await files();
  });

  it('are those that `npm run pictures` makes', () => {
    expect(committed).to.deep.equal([...made.keys()].sort());
    for (const name of committed) expect(textOf(name), name).to.equal(made.get(name));
  });

  it('have words that neither cross each other nor leave the picture', () => {
    for (const [name, svg] of made) {
      expect(crossings(svg), name).to.deep.equal([]);
      expect(outside(svg, width), name).to.deep.equal([]);
    }
  });

  it('are small', () => {
    const bytes = committed.reduce((sum, name) => sum + textOf(name).length, 0);
    expect(bytes).to.be.within(1, mostBytes);
  });

  it('each stand on a page, light and dark, in words too', () => {
    const found = pages.flatMap((page) => {
      const text = readFileSync(join(root, 'docs', page), 'utf8');
      const pictures = [...text.matchAll(shown)];
      expect(text.split('<picture>').length - 1, page).to.equal(pictures.length);
      return pictures;
    });
    for (const [, dark, , words, light] of found) {
      expect(dark).to.equal(light);
      expect(words!.length, light).to.be.within(80, 600);
    }
    const names = found.flatMap(([, dark, kind, , light]) => [
      `${dark}-dark.${kind}`,
      `${light}-light.${kind}`,
    ]);
    const taken = readdirSync(join(root, 'docs/screenshots')).map((name) => `screenshots/${name}`);
    const all = [...committed.map((name) => `pictures/${name}`), ...taken];
    expect(names.sort()).to.deep.equal(all.sort());
  });
});
