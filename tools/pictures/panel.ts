/** One panel: a line for each row over a common axis of time. */
import { colours, type Theme } from '../../bench/report/palette.js';
import { text } from '../../bench/report/svgtext.js';
import { lastOf, type Panel, type Picture, type Row } from './picture.js';
import {
  badgeRadius,
  type Box,
  dotRadius,
  drawBadge,
  drawBar,
  drawCut,
  drawDot,
} from './shapes.js';

const barHeight = 16;
const rowHeight = 26;
const dotStep = 2 * dotRadius + 2;
const indent = 16;
const axisHeight = 20;
const headHeight = 22;

/** Dots of the same moment stand on each other. */
function stacks({ dots }: Row): number {
  const counts = new Map<number, number>();
  for (const { at } of dots) counts.set(at, (counts.get(at) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const heightOfRow = (row: Row) => Math.max(rowHeight, stacks(row) * dotStep + 16);
const hasHead = ({ title, moments }: Panel) => title !== undefined || moments.length > 0;
const topOf = (panel: Panel) => (hasHead(panel) ? headHeight : 0);

export function heightOf(panel: Panel): number {
  const rows = panel.rows.reduce((sum, row) => sum + heightOfRow(row), 0);
  return topOf(panel) + rows + axisHeight;
}

export function drawPanel(
  picture: Picture,
  panel: Panel,
  place: Omit<Box, 'height'>,
  theme: Theme,
): string {
  const drawing = new Drawing(picture, panel, place, theme);
  return [drawing.head(), drawing.axis(), ...drawing.rows()].join('\n');
}

class Drawing {
  readonly #panel: Panel;
  readonly #place: Omit<Box, 'height'>;
  readonly #theme: Theme;
  readonly #ink: string;
  readonly #names: number;
  readonly #every: number;
  readonly #end: number;
  readonly #perMs: number;

  constructor(picture: Picture, panel: Panel, place: Omit<Box, 'height'>, theme: Theme) {
    const { names, ends, every } = picture;
    this.#panel = panel;
    this.#place = place;
    this.#theme = theme;
    this.#ink = `fill="${colours[theme].text}"`;
    this.#names = names;
    this.#every = every;
    // All panels have the same scale, so that they can be compared.
    const last = Math.max(...picture.panels.map(({ rows }) => lastOf(rows)));
    this.#end = Math.ceil(last / every) * every;
    this.#perMs = (place.width - names - ends) / this.#end;
  }

  #x(ms: number): number {
    return this.#place.x + this.#names + ms * this.#perMs;
  }

  head(): string {
    const { x, y } = this.#place;
    const { title = '', moments } = this.#panel;
    const style = `font-size="14" font-weight="600" ${this.#ink}`;
    const bottom = y + heightOf(this.#panel) - axisHeight;
    return [
      ...(title === '' ? [] : [text(x, y + 12, title, style)]),
      ...moments.flatMap(({ at, words }) => [
        `<path d="M${this.#x(at).toFixed(1)} ${y + 16}V${bottom}" stroke="${colours[this.#theme].text}" stroke-dasharray="5 3"/>`,
        text(this.#x(at), y + 11, words, `font-size="12" text-anchor="middle" ${this.#ink}`),
      ]),
    ].join('\n');
  }

  axis(): string {
    const top = this.#place.y + topOf(this.#panel);
    const bottom = this.#place.y + heightOf(this.#panel) - axisHeight;
    const lines: string[] = [];
    for (let ms = 0; ms <= this.#end; ms += this.#every) {
      const x = this.#x(ms);
      lines.push(
        `<path d="M${x.toFixed(1)} ${top}V${bottom}" stroke="${colours[this.#theme].faint}"/>`,
        text(x, bottom + 14, String(ms), `font-size="11" text-anchor="middle" ${this.#ink}`),
      );
    }
    lines.push(text(this.#place.x, bottom + 14, 'ms', `font-size="11" ${this.#ink}`));
    return lines.join('\n');
  }

  rows(): string[] {
    let y = this.#place.y + topOf(this.#panel);
    return this.#panel.rows.map((row) => {
      const height = heightOfRow(row);
      y += height;
      return this.#row(row, y - height, height);
    });
  }

  #row(row: Row, y: number, height: number): string {
    const middle = y + height / 2;
    const name = text(
      this.#place.x + row.depth * indent,
      middle + 4,
      row.name,
      `font-size="12.5" ${this.#ink}`,
    );
    const seen = new Map<number, number>();
    const dots = row.dots.map(({ at, kind }) => {
      const below = seen.get(at) ?? 0;
      seen.set(at, below + 1);
      return drawDot(kind, this.#x(at), y + height - 10 - below * dotStep, this.#theme);
    });
    if (row.dots.length > 0) dots.unshift(this.#ground(y + height - 4));
    return [name, ...this.#bars(row, middle), ...dots, ...this.#badges(row, middle)].join('\n');
  }

  /** What dots stand on. */
  #ground(y: number): string {
    const line = `M${this.#x(0).toFixed(1)} ${y}H${this.#x(this.#end).toFixed(1)}`;
    return `<path d="${line}" stroke="${colours[this.#theme].faint}"/>`;
  }

  #bars({ bars, end = '', cut, badges }: Row, middle: number): string[] {
    const drawn = bars.map(({ from, to, kind }) => {
      const x = this.#x(from);
      const box = { x, y: middle - barHeight / 2, width: this.#x(to) - x, height: barHeight };
      return drawBar(kind, box, this.#theme);
    });
    const last = bars.at(-1)?.to ?? 0;
    const isAtEnd = ({ at }: { at: number }) => (last - at) * this.#perMs < badgeRadius;
    let x = this.#x(last) + 6 + badges.filter(isAtEnd).length * 2 * badgeRadius;
    if (cut) drawn.push(drawCut(x + 4, middle, this.#theme));
    if (cut) x += 14;
    if (end !== '') drawn.push(text(x, middle + 4, end, `font-size="12" ${this.#ink}`));
    return drawn;
  }

  /** Those of one moment stand beside each other. */
  #badges({ badges }: Row, middle: number): string[] {
    return badges.map(({ at, number }, i) => {
      const before = badges.slice(0, i).filter((other) => other.at === at).length;
      const x = this.#x(at) + before * (2 * badgeRadius + 1);
      return drawBadge(String(number), x, middle, this.#theme);
    });
  }
}
