/**
 * The JavaScript half of the bench programs; the Node process has loaded no library but the subject's.
 *
 *   node --expose-gc build/bench-js/main.js SUBJECT SCENARIO SIZE [--loaded]
 *   node --expose-gc build/bench-js/main.js SUBJECT --list | --version | --verify
 *
 * SUBJECT is steptree or a file of peers/. Prints one line of JSON: `{"ns", "bytes"?, "rss"}`.
 */
import { measure, verifiedSize, verify } from './harness.js';
import type { Subject } from './subject.js';

const peers = [
  'async-await',
  'futoin-asyncsteps',
  'effect',
  'cockatiel',
  'async-mutex',
  'p-limit',
  'p-queue',
  'rate-limiter-flexible',
  'idiomatic',
];

async function load(stem: string): Promise<Subject> {
  if (stem !== 'steptree' && !peers.includes(stem))
    throw new Error(`no subject '${stem}'; there are: steptree, ${peers.join(', ')}`);
  // A path that the compiler can't follow: what a peer needs is there only where peers are installed.
  const path = stem === 'steptree' ? './steptree.js' : `./peers/${stem}.js`;
  const { subject } = (await import(path)) as { subject: Subject };
  return subject;
}

async function verifyAll(subject: Subject): Promise<string> {
  const scenarios = Object.keys(subject.programs);
  for (const scenario of scenarios) {
    await verify(subject, scenario, verifiedSize).catch((error) => {
      throw new Error(`${scenario}: ${error.message}`);
    });
  }
  return `${scenarios.length} programs of ${subject.name} give right results`;
}

async function main([stem = '', what = '', size = '', ...flags]: string[]): Promise<string> {
  if (flags.includes('--loaded')) for (const peer of peers) await load(peer);
  const subject = await load(stem);
  if (what === '--list') return Object.keys(subject.programs).join('\n');
  if (what === '--version') return subject.version;
  if (what === '--verify') return verifyAll(subject);
  const operations = Number(size);
  if (!Number.isSafeInteger(operations) || operations < 1)
    throw new Error(`SIZE is a number of operations, not '${size}'`);
  return JSON.stringify(await measure(subject, what, operations));
}

main(process.argv.slice(2)).then(
  (line) => process.stdout.write(`${line}\n`, () => process.exit(0)),
  (error: Error) => {
    process.stderr.write(`${process.argv.slice(2).join(' ')}: ${error.message}\n`);
    process.exit(1);
  },
);
