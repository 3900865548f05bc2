/** The reference: a page for what a file declares, the same in both languages, and a page that lists all names. */
import MarkdownIt from 'markdown-it';
import type { Declared, Module } from './api.js';
import { codeBlock } from './code.js';
import type { Framed } from './frame.js';
import { escaped } from './highlight.js';
import { type Page, pages, relative, type Section } from './pages.js';
import type { Entry } from './searching.js';

export interface Reference {
  /** In addresses, and for colours. */
  readonly lang: 'ts' | 'cpp';
  readonly title: string;
  readonly modules: readonly Module[];
}

export const apiUrl = (lang: string, stem: string) => `api/${lang}/${stem}.html`;
const idOf = (name: string) => name.replaceAll(/[^\w.]+/g, '-');

/** A comment: what is indented is code, and pages that it names are led to. */
function wordsOf(words: string, lang: string, url: string): string {
  const md = new MarkdownIt().disable(['link', 'autolink']);
  md.renderer.rules.code_block = (tokens, i) => codeBlock(tokens[i]!.content, lang);
  const named = /\b((?:docs|spec)\/[\w/-]+\.md)(#[\w-]+)?/g;
  return md.render(words).replaceAll(named, (all, file, at = '') => {
    const known = pages.get(file);
    if (known === undefined) return all;
    return `<a href="${relative(url, known.url)}${at}">${escaped(known.title)}</a>`;
  });
}

export class Api {
  readonly #references: readonly Reference[];

  constructor(references: readonly Reference[]) {
    this.#references = references;
  }

  sections(): Section[] {
    return this.#references.map(({ lang, title, modules }) => ({
      title: `Reference: ${title}`,
      pages: modules.map(({ stem }): Page => ({ file: '', url: apiUrl(lang, stem), title: stem })),
    }));
  }

  pages(): Framed[] {
    const each = this.#references.flatMap((reference) =>
      reference.modules.map((module) => this.#page(reference, module)),
    );
    return [this.#index(), ...each];
  }

  /** Of one name there is one: that of its first declaration. What a class has is found by its own name, too. */
  entries(): Entry[] {
    const found = new Map<string, Entry>();
    for (const { lang, title, modules } of this.#references) {
      const page = `Reference: ${title}`;
      for (const { stem, declared } of modules) {
        const add = (name: string, text: string) => {
          const id = `${apiUrl(lang, stem)}#${idOf(name)}`;
          if (!found.has(id)) found.set(id, { id, page, title: name, text });
        };
        for (const { name, words, members } of declared) {
          add(name, words);
          for (const member of members) add(`${name}.${member.name}`, member.words);
        }
      }
    }
    return [...found.values()];
  }

  #index(): Framed {
    const url = 'api/index.html';
    const lists = this.#references.map(({ lang, title, modules }) => {
      const names = modules.flatMap(({ stem, declared }) =>
        [...new Set(declared.map(({ name }) => name))].map((name) => ({ stem, name })),
      );
      const items = names
        .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
        .map(({ stem, name }) => {
          const to = `${relative(url, apiUrl(lang, stem))}#${idOf(name)}`;
          return `<li><a href="${to}">${escaped(name)}</a></li>`;
        });
      return `<h2 id="${lang}">${title}</h2>\n<ul class="many">${items.join('')}</ul>`;
    });
    const all = relative(url, pages.get('docs/all.md')!.url);
    const html = `<h1>Reference</h1>
<p>All names that programs use, with what their comments say. <a href="${all}">All there is, on a page</a>, says it shorter; other languages have pages of their own: <a href="../docs/python.html">Python</a>, <a href="../spec/abi.html">C</a>, <a href="../docs/plug-in.html">Rust</a>.</p>
${lists.join('\n')}`;
    return { url, title: 'Reference', html };
  }

  #page({ lang, title }: Reference, { stem, declared }: Module): Framed {
    const url = apiUrl(lang, stem);
    const seen = new Set<string>();
    const parts = declared.map((each) => this.#declared(each, lang, url, seen));
    const html = `<h1>${stem}</h1>\n<p>${title}${this.#others(lang, stem, url)}</p>\n${parts.join('\n')}`;
    return { url, title: `${stem}, ${title}`, html };
  }

  /** Where the other languages have the same. */
  #others(lang: string, stem: string, url: string): string {
    return this.#references
      .filter((other) => other.lang !== lang && other.modules.some((each) => each.stem === stem))
      .map(
        ({ lang, title }) =>
          `; <a href="${relative(url, apiUrl(lang, stem))}">the same in ${title}</a>`,
      )
      .join('');
  }

  #declared(
    { name, code, words, members }: Declared,
    lang: string,
    url: string,
    seen: Set<string>,
  ) {
    const anchor = (id: string) => {
      if (seen.has(id)) return '';
      seen.add(id);
      return ` id="${id}"`;
    };
    const block = (code: string) => (code === '' ? '' : codeBlock(code, lang));
    const inside = members.map((member) => {
      const id = anchor(idOf(`${name}.${member.name}`));
      return `<h3${id}>${escaped(member.name)}</h3>\n${block(member.code)}${wordsOf(member.words, lang, url)}`;
    });
    return `<h2${anchor(idOf(name))}>${escaped(name)}</h2>\n${block(code)}${wordsOf(words, lang, url)}\n${inside.join('\n')}`;
  }
}
