/** A case in a page: its text, and a player that has the case as data. */
import { parse } from 'yaml';
import { codeBlock } from './code.js';
import { slugOf } from './slug.js';

interface Case {
  readonly case: string;
}

export function casesOf(block: string): Case[] {
  const found = parse(block) as Case | Case[];
  return Array.isArray(found) ? found : [found];
}

/** In a page no text ends a script. */
const dataOf = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** It has a name, so it has a place that one can lead to. */
export const caseId = (name: string) => `case-${slugOf(name)}`;

export function caseBlock(text: string, cases: readonly Case[] = casesOf(text)): string {
  const players = cases.map((one) => {
    const data = `<script type="application/json">${dataOf(one)}</script>`;
    return `<step-player id="${caseId(one.case)}">${data}</step-player>\n`;
  });
  return codeBlock(text, 'yaml') + players.join('');
}
