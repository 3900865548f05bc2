/** The figures as horizontal bars on a log scale, one group for each scenario, C++ left and JavaScript right. */
import { type Language, type Scenario, scenarios } from '../scenarios.js';
import { own, subjects } from '../subjects.js';
import { bytes, day, digits, languageNames, type Results } from './results.js';
import type { Row } from './statistics.js';

export type Theme = 'light' | 'dark';

interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly faint: string;
  readonly own: string;
  readonly peers: readonly string[];
}

const colours: Readonly<Record<Theme, Colours>> = {
  light: {
    ground: '#ffffff',
    text: '#1f2328',
    faint: '#d1d9e0',
    own: '#0969da',
    peers: ['#bc4c00', '#e2c08d', '#8250df', '#1a7f37', '#bf3989', '#9a6700', '#6e7781', '#afb8c1'],
  },
  dark: {
    ground: '#0d1117',
    text: '#e6edf3',
    faint: '#30363d',
    own: '#58a6ff',
    peers: ['#f0883e', '#7d5d34', '#bc8cff', '#56d364', '#f778ba', '#d29922', '#8b949e', '#484f58'],
  },
};

const barHeight = 9;
const barStep = 11;
const groupGap = 12;
const labelWidth = 118;
const panelWidth = 560;
const valueWidth = 62;
const top = 104;
const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';

interface Group {
  readonly scenario: Scenario;
  readonly rows: readonly Row[];
}

const value = (row: Row) => row.bytes ?? row.ns;
const label = (row: Row) => (row.bytes === undefined ? digits(row.ns) : `${bytes(row.bytes)} B`);

/** What grows, what is late and what other libraries do to each other stand in the table only. */
function groupsOf(results: Results, lang: Language): readonly Group[] {
  return scenarios
    .filter(({ lang: of, name }) => of === lang && !/^grows_|^lateness$/.test(name))
    .map((scenario) => ({
      scenario,
      rows: results.rows.filter(
        ({ lang: of, scenario: name, subject }) =>
          of === lang && name === scenario.name && !subject.endsWith(')'),
      ),
    }))
    .filter(({ rows }) => rows.length > 0);
}

function text(x: number, y: number, words: string, attributes = ''): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escaped}</text>`;
}

/** One language: its legend, its axis, its groups. */
class Panel {
  readonly height: number;
  readonly #x: number;
  readonly #lang: Language;
  readonly #groups: readonly Group[];
  readonly #colours: Colours;
  readonly #low: number;
  readonly #high: number;
  readonly #colourOf = new Map<string, string>();

  constructor(results: Results, lang: Language, x: number, theme: Theme) {
    this.#x = x;
    this.#lang = lang;
    this.#groups = groupsOf(results, lang);
    this.#colours = colours[theme];
    const rows = this.#groups.flatMap((group) => group.rows);
    const logs = rows.map((row) => Math.log10(value(row)));
    this.#low = Math.floor(Math.min(0, ...logs));
    this.#high = Math.ceil(Math.max(1, ...logs));
    this.height = this.#groups.reduce((sum, { rows }) => sum + this.#heightOf(rows), top + 24);
    const shown = new Set(rows.map(({ subject }) => subject));
    const peers = subjects.filter(
      (it) => it.lang === lang && it.name !== own && shown.has(it.name),
    );
    this.#colourOf.set(own, this.#colours.own);
    for (const [i, { name }] of peers.entries())
      this.#colourOf.set(name, this.#colours.peers[i % this.#colours.peers.length]!);
  }

  draw(): string {
    return [this.#title(), this.#legend(), this.#axis(), ...this.#bars()].join('\n');
  }

  #heightOf(rows: readonly Row[]): number {
    return rows.length * barStep + groupGap;
  }

  #at(exponent: number): number {
    const room = panelWidth - labelWidth - valueWidth;
    return this.#x + labelWidth + (room * (exponent - this.#low)) / (this.#high - this.#low);
  }

  #title(): string {
    const style = `font-size="15" font-weight="600" fill="${this.#colours.text}"`;
    const unit = 'nanoseconds; bytes where it says B; log scale; shorter is better';
    return [
      text(this.#x, 22, languageNames[this.#lang], style),
      text(this.#x + 112, 22, unit, `font-size="11" fill="${this.#colours.text}"`),
    ].join('\n');
  }

  #legend(): string {
    const perRow = 3;
    return [...this.#colourOf]
      .flatMap(([name, colour], i) => {
        const x = this.#x + (i % perRow) * (panelWidth / perRow);
        const y = 40 + Math.floor(i / perRow) * 14;
        return [
          `<rect x="${x}" y="${y - 8}" width="9" height="9" rx="2" fill="${colour}"/>`,
          text(x + 14, y, name, `font-size="11" fill="${this.#colours.text}"`),
        ];
      })
      .join('\n');
  }

  #axis(): string {
    const lines: string[] = [];
    for (let exponent = this.#low; exponent <= this.#high; exponent++) {
      const x = this.#at(exponent).toFixed(1);
      const style = `font-size="10" text-anchor="middle" fill="${this.#colours.text}"`;
      lines.push(
        `<path d="M${x} ${top}V${this.height - 20}" stroke="${this.#colours.faint}"/>`,
        text(Number(x), this.height - 6, (10 ** exponent).toLocaleString('en-US'), style),
      );
    }
    return lines.join('\n');
  }

  #bars(): string[] {
    let y = top + groupGap / 2;
    return this.#groups.map(({ scenario, rows }) => {
      const middle = y + (rows.length * barStep) / 2 + 3;
      const style = `font-size="11.5" text-anchor="end" fill="${this.#colours.text}"`;
      const name = text(this.#x + labelWidth - 8, middle, scenario.name, style);
      const bars = rows.map((row, i) => this.#bar(row, y + i * barStep));
      y += this.#heightOf(rows);
      return [name, ...bars].join('\n');
    });
  }

  #bar(row: Row, y: number): string {
    const from = this.#at(this.#low);
    const width = Math.max(1, this.#at(Math.log10(value(row))) - from);
    const bold = row.subject === own ? ' font-weight="700"' : '';
    const style = `font-size="9.5"${bold} fill="${this.#colours.text}"`;
    const fill = this.#colourOf.get(row.subject)!;
    return [
      `<rect x="${from.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${barHeight}" rx="1.5" fill="${fill}"/>`,
      text(from + width + 4, y + barHeight - 1, label(row), style),
    ].join('\n');
  }
}

export function chart(results: Results, theme: Theme): string {
  const margin = 20;
  const languages = (['cpp', 'js'] as const).filter((lang) =>
    results.rows.some((row) => row.lang === lang),
  );
  const panels = languages.map(
    (lang, i) => new Panel(results, lang, margin + i * (panelWidth + margin), theme),
  );
  const width = margin + panels.length * (panelWidth + margin);
  const height = Math.max(...panels.map((panel) => panel.height)) + 26;
  const { ground, text: ink } = colours[theme];
  const foot = `${results.machine.cpu}, ${day(results)}, medians of ${results.repetitions} runs`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${font}>`,
    `<title>steptree and its peers</title>`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    ...panels.map((panel) => panel.draw()),
    text(margin, height - 8, foot, `font-size="10" fill="${ink}"`),
    '</svg>\n',
  ].join('\n');
}
