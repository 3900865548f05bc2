/** The shapes of bars, dots and numbers. What differs in meaning differs in shape or brightness too, not in colour only. */
import { colours, type Theme } from '../../bench/report/palette.js';
import { text } from '../../bench/report/svgtext.js';
import type { BarKind, DotKind } from './picture.js';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Name = 'own' | 'warm' | 'green' | 'grey';

function colour(name: Name, theme: Theme): string {
  const { own, peers } = colours[theme];
  return { own: own[0], warm: peers[0]!, green: peers[3]!, grey: peers[7]! }[name];
}

/** A colour, how much of it fills the shape, and whether its border is broken. */
const bars: Readonly<Record<BarKind, readonly [Name, number, broken?: true]>> = {
  runs: ['own', 1],
  waits: ['own', 0.45],
  inside: ['own', 0.12],
  leaving: ['warm', 0.16, true],
  cleanup: ['green', 0.55],
  closed: ['green', 0.3],
  open: ['warm', 0.35, true],
  halfOpen: ['own', 0.3],
};

const dots: Readonly<Record<DotKind, readonly [Name, 'full' | 'ring' | 'cross']>> = {
  asked: ['grey', 'full'],
  admitted: ['own', 'full'],
  failed: ['warm', 'cross'],
  refused: ['warm', 'ring'],
};

export const isBar = (kind: string): kind is BarKind => Object.hasOwn(bars, kind);
export const isDot = (kind: string): kind is DotKind => Object.hasOwn(dots, kind);

const round = (value: number) => Number(value.toFixed(1));

export function drawBar(kind: BarKind, { x, y, width, height }: Box, theme: Theme): string {
  const [name, opacity, broken] = bars[kind];
  const ink = colour(name, theme);
  const dashes = broken ? ' stroke-dasharray="3 2"' : '';
  const box = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="2"`;
  return `<rect ${box} fill="${ink}" fill-opacity="${opacity}" stroke="${ink}"${dashes}/>`;
}

export const dotRadius = 4;

export function drawDot(kind: DotKind, x: number, y: number, theme: Theme): string {
  const [name, shape] = dots[kind];
  const ink = colour(name, theme);
  if (shape === 'cross') return drawCross(x, y, ink);
  const fill =
    shape === 'full' ? `fill="${ink}"` : `fill="none" stroke="${ink}" stroke-width="1.6"`;
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${dotRadius - (shape === 'full' ? 0 : 0.6)}" ${fill}/>`;
}

function drawCross(x: number, y: number, ink: string): string {
  const lines = `M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0 -7l-7 7`;
  return `<path d="${lines}" stroke="${ink}" stroke-width="2" fill="none"/>`;
}

/** Where something ended in another way than well. */
export function drawCut(x: number, y: number, theme: Theme): string {
  return drawCross(x, y, colour('warm', theme));
}

export const badgeRadius = 8;

export function drawBadge(words: string, x: number, y: number, theme: Theme): string {
  const { ground, text: ink } = colours[theme];
  const style = `font-size="11" font-weight="700" text-anchor="middle" fill="${ground}"`;
  return [
    `<circle cx="${round(x)}" cy="${round(y)}" r="${badgeRadius}" fill="${ink}"/>`,
    text(x, y + 4, words, style),
  ].join('\n');
}
