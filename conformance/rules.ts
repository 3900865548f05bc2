/** Checks that every rule of spec/ has a proof, that every proof exists, and that rules read well. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSuite } from './load.js';
import { proofProblems, readProofs, readRules, readTitles } from './proof.js';
import { plainChapters, styleProblems } from './style.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { cases, problems: suiteProblems } = loadSuite(root);
const { rules, problems: ruleProblems } = readRules(root);
const proofs = readProofs(join(root, 'conformance/proofs.yaml'));
const problems = [
  ...suiteProblems,
  ...ruleProblems,
  ...styleProblems(rules, plainChapters),
  ...proofProblems(rules, cases, proofs, readTitles(root)),
];
if (rules.length === 0) problems.push('spec/ has no rules');

for (const problem of problems) console.log(problem);
const byCases = rules.filter(({ id }) => cases.some(({ program }) => program.rules.includes(id)));
console.log(
  `${rules.length} rules: ${byCases.length} proven by ${cases.length} cases, ` +
    `${Object.keys(proofs).length} by named tests; ${problems.length} finding(s)`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
