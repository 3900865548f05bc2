// A thread of Node's that says which body holds the loop, while it does: the tool's own can't.
//
// - What it says is written before the body is called, into memory that both threads have.
// - It looks now and then. Nobody wakes it, and it keeps no process alive.

import { clock } from './clock.js';
import { cut, cutFront } from './cut.js';
import { misuse } from './error.js';
import { BEGAN, FLOW, heldMemory, heldText, writeText } from './held.js';
import { quoted } from './waittext.js';

interface Thread {
  on(event: 'error', fn: (error: Error) => void): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

interface Process {
  readonly hrtime: { bigint(): bigint };
  emitWarning(text: string, type: string): void;
  getBuiltinModule?(name: string): {
    readonly Worker: new (program: string, options: object) => Thread;
  };
}

/** Its clock is the one that the platform's is made of. In a function, so that who has no watch has no text. */
const program = () => String.raw`
const { memory, name, path, ms, origin } = process.getBuiltinModule('node:worker_threads').workerData;
const { writeSync } = process.getBuiltinModule('node:fs');
const now = () => Number(process.hrtime.bigint()) / 1e6 - origin;
const textIn = (words) => String.fromCharCode(...words.subarray(1, 1 + words[0]));
const onOneLine = (text) => text.replace(/[\0-\x1f]/g, (c) => JSON.stringify(c).slice(1, -1));
let told = 0;
setInterval(() => {
  const [began, flow] = memory;
  const held = now() - began;
  if (began <= told || held < ms) return;
  const where = 'flow ' + flow + textIn(name) + ' at ' + onOneLine(textIn(path));
  if (memory[0] !== began) return;
  told = began;
  try {
    writeSync(2, 'steptree: ' + where + ' has held the loop for ' + Math.floor(held) + ' ms\n');
  } catch {}
}, Math.max(1, ms / 2));
`;

export class Watchdog {
  readonly #memory = heldMemory();
  readonly #name = heldText();
  readonly #path = heldText();
  /** Whose text is there. */
  #named = '';
  readonly #thread: Thread;

  /** It's told after so many milliseconds. */
  constructor(ms: number) {
    const { process } = globalThis as unknown as { process?: Process };
    const threads = process?.getBuiltinModule?.('node:worker_threads');
    if (threads === undefined) throw misuse('StallWatch: stuck: expected Node');
    const origin = Number(process!.hrtime.bigint()) / 1e6 - clock();
    this.#thread = new threads.Worker(program(), {
      eval: true,
      execArgv: [],
      env: {},
      name: 'steptree stalls',
      workerData: { memory: this.#memory, name: this.#name, path: this.#path, ms, origin },
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    });
    this.#thread.on('error', ({ message }) =>
      process!.emitWarning(`the watchdog has ended: ${message}`, 'SteptreeWarning'),
    );
    this.#thread.unref();
  }

  /** A body is called next. */
  begins(flow: number, name: string, path: string, began: number): void {
    const memory = this.#memory;
    memory[BEGAN] = 0;
    memory[FLOW] = flow;
    if (name !== this.#named) writeText(this.#name, quoted(cut((this.#named = name))));
    writeText(this.#path, cutFront(path));
    memory[BEGAN] = began;
  }

  returned(): void {
    this.#memory[BEGAN] = 0;
  }

  end(): void {
    void this.#thread.terminate();
  }
}
