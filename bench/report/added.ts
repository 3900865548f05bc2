/** Scenarios that a run of their own has measured, in the table of the whole one. */
import type { Language } from '../scenario.js';
import { scenarios } from '../scenarios.js';
import { type Added, languageNames, type Results } from './results.js';
import type { Row } from './statistics.js';

const nameOf = ({ lang, scenario }: Row) => `${languageNames[lang]} ${scenario}`;

const placeOf = (row: Row) =>
  scenarios.findIndex(({ lang, name }) => lang === row.lang && name === row.scenario);

/** What the head of the table says of all rows. */
function headOf({ machine, pinned, compiler, node, versions }: Results, lang: Language): string {
  const made = lang === 'cpp' ? compiler : node;
  return JSON.stringify([machine, pinned, made, versions[lang]]);
}

/** What the head of the table says has to be true of both. */
export function withAdded(whole: Results, more: Results): Results {
  for (const { lang } of more.rows) {
    if (headOf(whole, lang) !== headOf(more, lang))
      throw new Error(
        'bench/results/ is of another machine or other versions: renew it by a whole run',
      );
  }
  const names = new Set(more.rows.map(nameOf));
  const isOther = (name: string) => !names.has(name);
  const before = (whole.added ?? []).map((added): Added => ({
    ...added,
    scenarios: added.scenarios.filter(isOther),
  }));
  const { date, commit } = more;
  const { versions, rows, ...rest } = whole;
  return {
    ...rest,
    added: [
      ...before.filter(({ scenarios }) => scenarios.length > 0),
      { scenarios: [...names], date, commit },
    ],
    versions,
    rows: [...rows.filter((row) => isOther(nameOf(row))), ...more.rows].toSorted(
      (a, b) => placeOf(a) - placeOf(b),
    ),
  };
}
