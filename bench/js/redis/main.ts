/**
 * One process of the bench over Redis, which bench/redis/crowd.ts starts; it has loaded no library but the subject's.
 *
 *   main.js SUBJECT --version
 *   main.js SUBJECT PROGRAM PORT LINES FIRST
 *
 * It says `ready` when its lines run, counts from the message `measure` to the message `stop`, and then says what.
 */
import type { Subject } from './subject.js';
import { Tally } from './tally.js';

async function load(stem: string): Promise<Subject> {
  // A path that the compiler can't follow: what a peer needs is there only where peers are installed.
  const path = stem === 'steptree' ? './steptree.js' : `../peers/redis/${stem}.js`;
  return ((await import(path)) as { subject: Subject }).subject;
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

async function main([stem = '', name = '', port, lines, first]: string[]): Promise<void> {
  const subject = await load(stem);
  if (name === '--version') return console.log(subject.version);
  const tally = new Tally();
  const program = subject.programs[name];
  if (program === undefined) throw new Error(`${stem} has no program '${name}'`);
  await program({ port: Number(port), lines: Number(lines), first: Number(first), tally });
  process.on('message', (what) => {
    if (what === 'measure') return tally.start();
    try {
      process.send!(tally.stop(), () => process.exit(0));
    } catch (error) {
      fail(error);
    }
  });
  process.on('disconnect', () => process.exit(1));
  process.send!('ready');
}

main(process.argv.slice(2)).catch(fail);
