/** What the checks are made of, and the commands that several of them use. */
import { type Counter, cargo } from './counts.js';

export type Command = readonly [command: string, counter: Counter];

export interface Part {
  readonly name: string;
  /** Each is run, also if one before it has failed. */
  readonly commands: readonly Command[];
  /** What it builds, or uses while others must not build it: below `build`, or `dist`. Two parts run side by side if these differ. */
  readonly folder?: string;
  /** Looks at speed, or would see others come and go: comes behind all that run side by side. */
  readonly alone?: true;
  /** Takes a quarter of an hour or more: run if it's named, or by `npm run test:deep -- --all`. */
  readonly slow?: true;
  /** A command that not everybody has: without it the part is left out, and that is said. */
  readonly needs?: string;
}

const jobs = 2;
export const cppFiles = `git ls-files -co --exclude-standard '*.cpp' '*.hpp' '*.ipp' '*.c' '*.h'`;
export const build = (folder: string, ...targets: readonly string[]) =>
  ['cmake --build', folder, '-j', jobs, ...targets.flatMap((name) => ['--target', name])].join(' ');
export const cmake = (preset: string, ...targets: readonly string[]) =>
  `cmake --preset ${preset} && ${build(`build/${preset}`, ...targets)}`;
export const addon = 'node native/install.mjs --again';
export const suite = 'node --import tsx conformance/run.ts';
/** A commit is always checked with the same programs, the next one with others. */
const seed = '"$(printf %d 0x$(git rev-parse --short=7 HEAD))"';
export const fuzz = `node --import tsx conformance/fuzz/run.ts --seed ${seed}`;

/** The crate for plug-ins in Rust, and the greeter in it. */
export const rust: Part = {
  name: 'plug-ins in Rust',
  commands: [
    [
      'cargo test --locked --offline --manifest-path rust/Cargo.toml --target-dir build/rust',
      cargo,
    ],
  ],
};

/** Tests whose titles say so run flows by the hundred thousand: they are left to the deep tests. */
export const large =
  "'million|hundred thousand|[0-9]{2},000|without recursion|leaves? nothing (behind|on)|keeps (nothing|its memory|the memory|a few bytes)'";
/** Tests of the tools that take long: they let the fuzzer find and shrink. */
export const slowTools = 'conformance/test/@(fuzz|programs).test.ts';
