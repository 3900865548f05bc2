/** One language of the chart: its legend, its axis, a group of bars for each scenario. */
import type { Language, Scenario } from '../scenario.js';
import { scenarios } from '../scenarios.js';
import { own, subjects } from '../subjects.js';
import { type Colours, colours, type Theme } from './palette.js';
import { bytes, digits, languageNames, type Results } from './results.js';
import type { Row } from './statistics.js';
import { text } from './svgtext.js';

const barHeight = 9;
const barStep = 11;
const groupGap = 12;
const labelWidth = 118;
export const panelWidth = 590;
const valueWidth = 62;
const top = 104;

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

export class Panel {
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
    this.#colourSubjects(new Set(rows.map(({ subject }) => subject)));
  }

  #colourSubjects(shown: ReadonlySet<string>): void {
    const here = subjects.filter(({ lang, name }) => lang === this.#lang && shown.has(name));
    const mine = here.filter(({ name }) => name.startsWith(own));
    const peers = here.filter(({ name }) => !name.startsWith(own));
    for (const [i, { name }] of mine.entries())
      this.#colourOf.set(name, this.#colours.own[i === 0 ? 0 : 1]);
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

  #isFloor(subject: string): boolean {
    return subjects.some(
      ({ lang, name, floor }) => lang === this.#lang && name === subject && floor,
    );
  }

  #legend(): string {
    const perRow = 3;
    return [...this.#colourOf]
      .flatMap(([name, colour], i) => {
        const x = this.#x + (i % perRow) * (panelWidth / perRow);
        const y = 40 + Math.floor(i / perRow) * 14;
        return [
          `<rect x="${x}" y="${y - 8}" width="9" height="9" rx="2" fill="${colour}"/>`,
          text(
            x + 14,
            y,
            this.#isFloor(name) ? `${name} *` : name,
            `font-size="10.5" fill="${this.#colours.text}"`,
          ),
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
