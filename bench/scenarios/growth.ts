/** What costs how much more when there is more of it, in both languages. */
import type { Language, Row, Target } from '../scenario.js';

export interface Growth {
  readonly stem: string;
  readonly counts: readonly string[];
  readonly per: string;
  readonly title: (count: string) => string;
  /** Of JavaScript, with `--quick` and without. */
  readonly sizes: readonly [quick: number, full: number];
  /** What an operation costs at the last of the counts is at most so many times what it costs at the first. */
  readonly limit?: number;
  readonly floors?: Partial<Readonly<Record<Language, readonly string[]>>>;
}

const crowds = ['1k', '30k', '300k', '1M'] as const;
const levels = ['1', '10', '100', '1k', '10k'] as const;
const inQuick: readonly string[] = ['1', '1k'];

export const growths: readonly Growth[] = [
  {
    stem: 'grows_simple',
    counts: crowds,
    per: 'flow',
    title: (n) => `simple, while ${n} flows wait`,
    sizes: [100_000, 500_000],
    limit: 3,
  },
  {
    stem: 'grows_switch',
    counts: crowds,
    per: 'switch',
    title: (n) => `loop switch of ${n} flows`,
    sizes: [100_000, 500_000],
    limit: 3,
  },
  {
    stem: 'grows_nesting',
    counts: levels,
    per: 'level',
    title: (n) => `levels of steps: ${n}`,
    sizes: [100_000, 500_000],
  },
  {
    stem: 'grows_timers',
    counts: crowds,
    per: 'flow',
    title: (n) => `a flow with a deadline, beside ${n} others`,
    sizes: [50_000, 125_000],
    floors: { cpp: ['libuv'] },
  },
];

/** What these scenarios are called, from few to many. */
export const namesOf = ({ stem, counts }: Growth): readonly string[] =>
  counts.map((count) => `${stem}_${count}`);

/** C++ performs so many times as many operations. */
const scales: Readonly<Record<Language, number>> = { cpp: 3, js: 1 };

function rows({ stem, counts, per, title, sizes, limit, floors }: Growth, lang: Language): Row[] {
  const [quick, full] = sizes.map((size) => size * scales[lang]) as [number, number];
  const targets = (count: string): Target[] =>
    limit !== undefined && count === counts.at(-1)
      ? [{ demand: 'must', scenario: `${stem}_${counts[0]}`, ratio: limit }]
      : [];
  return counts.map((count) => ({
    name: `${stem}_${count}`,
    per,
    title: title(count),
    sizes: [inQuick.includes(count) ? quick : null, full],
    targets: targets(count),
    floors: floors?.[lang] ?? [],
  }));
}

export const growth = (lang: Language): readonly Row[] => growths.flatMap((one) => rows(one, lang));
