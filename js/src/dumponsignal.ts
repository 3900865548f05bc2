// What flows are doing, written whenever the process is asked from outside: a service that hangs needs no debugger.

import { checkFunction, checkOptions, badArgument, misuse } from './error.js';
import { snapshot } from './snapshot.js';
import { snapshotText } from './snapshottext.js';
import { type Handle, ToolCore } from './toolcore.js';
import { checkLimit } from './waiters.js';
import { type Locate, sourceBy } from './written.js';

interface Process {
  on?(signal: string, listener: () => void): void;
  off(signal: string, listener: () => void): void;
  readonly stderr: { write(text: string): void };
  getBuiltinModule?(name: 'node:worker_threads'): { readonly isMainThread: boolean } | undefined;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's or a browser's
declare const globalThis: { readonly process: Process | undefined };

/** Of `dumpOnSignal`. */
export interface DumpOptions {
  /** At which signal of the process. Default: `'SIGUSR2'`. */
  signal?: string | undefined;
  /** Gets the text, which ends with a line feed. Default: writes it to the process's standard error. */
  write?: ((text: string) => void) | undefined;
  /** How many lines of text a dump has at most. Default: 1000; what is left out is counted in one more. */
  max?: number | undefined;
  /** Finds where the bodies of steps were written, as of `snapshot`. Default: nobody does. */
  locate?: Locate | undefined;
}

/** Signals come to the main thread. */
function isInWorker({ getBuiltinModule }: Process): boolean {
  return getBuiltinModule?.('node:worker_threads')?.isMainThread === false;
}

/**
 * Writes what all flows of the tool are doing each time the process gets a signal, until the handle is cancelled; several tools may listen to
 * one. It doesn't keep the process alive. A body that holds the loop holds this, too. Only in Node, in its main thread, else, and for a bad
 * option, `InternalError`. Guide: docs/hangs.md#find-it-what-each-waits-for
 *
 *     dumpOnSignal(defaultTool); // kill -USR2 PID
 */
export function dumpOnSignal(tool: ToolCore, options: DumpOptions = {}): Handle {
  if (!ToolCore.is(tool)) badArgument('dumpOnSignal', 'a tool', tool);
  const { process } = globalThis;
  if (!process?.on || isInWorker(process)) throw misuse('dumpOnSignal: there are no signals here');
  const toStderr = (text: string) => process.stderr.write(text);
  const known = checkOptions('dumpOnSignal', options, 'signal write max locate');
  const { signal = 'SIGUSR2', write = toStderr, max = 1000, locate } = known;
  checkFunction('dumpOnSignal: write', write);
  checkLimit('dumpOnSignal: max', max, 1, ', or Infinity');
  sourceBy('dumpOnSignal', locate);
  const dump = (): void => write(`${snapshotText(snapshot(tool, { locate }), { max })}\n`);
  process.on(signal, dump);
  let listens = true;
  return {
    cancel() {
      listens = false;
      process.off(signal, dump);
    },
    valid: () => listens,
  };
}
