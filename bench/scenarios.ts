/** All scenarios of both languages, and what steptree has to reach in them. */
import type { Language, Row, Scenario } from './scenario.js';
import { cpp } from './scenarios/cpp.js';
import { defined } from './scenarios/defined.js';
import { definedCpp } from './scenarios/definedcpp.js';
import { growth } from './scenarios/growth.js';
import { js } from './scenarios/js.js';

const complete =
  (lang: Language) =>
  ({ targets = [], ...row }: Row): Scenario => ({ ...row, lang, targets });

export const scenarios: readonly Scenario[] = [
  ...[...cpp, ...definedCpp, ...growth('cpp')].map(complete('cpp')),
  ...[...js, ...defined, ...growth('js')].map(complete('js')),
];
