/** Whether steptree asks Redis for as much as counts.json says: what a busy machine can't blur. */
import { readFileSync } from 'node:fs';
import { asked, type Asked } from './measure.js';
import { scenarios, subjects } from './scenarios.js';

const limits: Readonly<Record<string, Asked>> = JSON.parse(
  readFileSync(new URL('counts.json', import.meta.url), 'utf8'),
);

/** A few operations have begun before, or end after what is counted. */
const margin = 1.05;

/** By this Node, and with what is built. */
export async function check(): Promise<void> {
  const wrong: string[] = [];
  for (const [name, limit] of Object.entries(limits)) {
    const { program, processes, lines } = scenarios.find((scenario) => scenario.name === name)!;
    const subject = subjects[0]!;
    const load = { subject, program, processes, lines, node: process.execPath };
    const counted = await asked(load, 0.5);
    for (const what of ['asked', 'commands'] as const) {
      const line = `${name}: ${what} ${counted[what].toFixed(2)}, of ${limit[what]}`;
      if (counted[what] > limit[what] * margin) wrong.push(line);
      console.log(line);
    }
  }
  const count = Object.keys(limits).length;
  console.log(`${count - wrong.length} passed, ${wrong.length} failed`);
  if (wrong.length > 0) throw new Error(`more is asked of Redis:\n${wrong.join('\n')}`);
}
