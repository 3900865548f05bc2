/** A page's Markdown as HTML. Where its links lead is asked of who makes the site. */
import MarkdownIt from 'markdown-it';
import { caseBlock } from './cases.js';
import { codeBlock } from './code.js';
import { slugOf } from './slug.js';

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** For the search: what stands below each heading, without code. */
  readonly texts: readonly { readonly id: string; readonly title: string; readonly text: string }[];
}

type Token = ReturnType<MarkdownIt['parse']>[number];

const plain = (token: Token) =>
  (token.children ?? [])
    .filter(({ type }) => /^(?:text|code_inline|softbreak)$/.test(type))
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('');

function fence(tokens: Token[], i: number): string {
  const { content, info } = tokens[i]!;
  const [lang = '', ...more] = info.split(' ');
  if (info === 'yaml case') return caseBlock(content);
  const block = codeBlock(content, lang, more.join(' '));
  const isBeside = (j: number, other: string) =>
    tokens[j]?.type === 'fence' && tokens[j]!.info.split(' ')[0] === other;
  if (lang === 'ts' && isBeside(i + 1, 'cpp')) return `<div class="pair">${block}`;
  if (lang === 'cpp' && isBeside(i - 1, 'ts')) return `${block}</div>\n`;
  return block;
}

const rule = /^([a-z]+-\d+)$/;

function html(content: string): Token {
  const [{ children }] = new MarkdownIt({ html: true }).parseInline('<b>', {}) as [Token];
  return Object.assign(children![0]!, { content });
}

/** What else is said of a rule: HTML. */
export type OfRule = (rule: string) => string;

/** `**model-3**` at the beginning of an item: the rule can be led to. Returns their names. */
function anchorRules(tokens: Token[], ofRule: OfRule): Set<string> {
  const names = new Set<string>();
  for (const [i, token] of tokens.entries()) {
    if (token.type !== 'list_item_open' || tokens[i + 2]?.type !== 'inline') continue;
    const inside = tokens[i + 2]!.children ?? [];
    const at = inside.findIndex(({ type }) => type === 'strong_open');
    if (at < 0 || inside.slice(0, at).some(({ content }) => content !== '')) continue;
    const name = inside[at + 1]?.content ?? '';
    if (!rule.test(name)) continue;
    token.attrSet('id', name);
    tokens[i + 2]!.children!.push(html(ofRule(name)));
    names.add(name);
  }
  return names;
}

/** A page may leave out a level: then those below it rise. */
function closeGaps(tokens: Token[]): void {
  const around: number[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const level = Number(token.tag[1]);
    while ((around.at(-1) ?? 0) >= level) around.pop();
    around.push(level);
    token.tag = tokens[i + 2]!.tag = `h${around.length}`;
  }
}

/** The second of one name gets a number, the third another one. */
function anchorHeadings(tokens: Token[], taken: Set<string>): Heading[] {
  return tokens.flatMap((token, i) => {
    if (token.type !== 'heading_open') return [];
    const text = plain(tokens[i + 1]!);
    const slug = slugOf(text);
    let id = slug;
    for (let i = 1; taken.has(id); i++) id = `${slug}-${i}`;
    taken.add(id);
    token.attrSet('id', id);
    return [{ level: Number(token.tag[1]), id, text }];
  });
}

function textsOf(tokens: Token[]): { id: string; title: string; text: string }[] {
  const found = [{ id: '', title: '', text: '' }];
  let isHeading = false;
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      isHeading = true;
      found.push({ id: token.attrGet('id')!, title: '', text: '' });
    } else if (token.type === 'inline') {
      const last = found.at(-1)!;
      if (isHeading) last.title = plain(token);
      else last.text += `${plain(token)} `;
      isHeading = false;
    }
  }
  return found;
}

export function render(
  text: string,
  linkOf: (href: string) => string,
  ofRule: OfRule = () => '',
): Rendered {
  const md = new MarkdownIt({ html: true });
  md.renderer.rules.fence = (tokens, i) => fence(tokens, i);
  md.renderer.rules.code_block = (tokens, i) => codeBlock(tokens[i]!.content, '');
  // Wide ones are moved by themselves, so the page isn't.
  md.renderer.rules['table_open'] = () => '<div class="wide"><table>\n';
  md.renderer.rules['table_close'] = () => '</table></div>\n';
  const tokens = md.parse(text, {});
  closeGaps(tokens);
  const headings = anchorHeadings(tokens, anchorRules(tokens, ofRule));
  for (const { children } of tokens)
    for (const child of children ?? []) {
      const href = child.type === 'link_open' ? child.attrGet('href') : null;
      if (href !== null) child.attrSet('href', linkOf(href));
    }
  const html = md.renderer
    .render(tokens, md.options, {})
    .replaceAll(/\b(src|srcset)="([^"]+)"/g, (_, name, path) => `${name}="${linkOf(path)}"`)
    .replaceAll('<img ', '<img loading="lazy" ')
    // What isn't said needs no header.
    .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>');
  return { html, headings, texts: textsOf(tokens) };
}
