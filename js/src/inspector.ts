// What the flows of a tool do, as a page in a browser. An entry point of its own, `steptree/inspector`, for Node: nothing else knows of it.
//
//     import { defaultTool } from 'steptree';
//     import { inspect } from 'steptree/inspector';
//
//     const inspector = await inspect(defaultTool);
//     console.log(inspector.url);
//
// A thread of its own serves the page, so it answers while the tool's thread can't: then it says so.

import { clock } from './clock.js';
import { heldMemory } from './held.js';
import { StepError, VirtualTool } from './index.js';
import { Inspected } from './inspected.js';
import { type ServerData, ServerThread, type Thread, type ToServer } from './serverthread.js';
import type { ToolCore } from './toolcore.js';

/** Of `inspect`. */
export interface InspectOptions {
  /** Where it listens. Default: 0, one that is free. */
  port?: number | undefined;
  /** At which address. Default: `'127.0.0.1'`, so that only this machine reaches it. Who reaches it needs its token, too, which the URL has. */
  host?: string | undefined;
  /** Whether the page may cancel flows. Default: `false`. */
  allowCancel?: boolean | undefined;
  /** Whether the process goes on as long as it's open. Default: `false`. */
  keepAlive?: boolean | undefined;
}

/** What `inspect` gives. */
export interface Inspector {
  /** Of the page, with the token that opens it. */
  readonly url: string;
  /** Tells the pages, and closes their connections. Settles when nothing of it is left; may be called again. */
  close(): Promise<void>;
}

interface Process {
  readonly pid: number;
  readonly argv: readonly string[];
  emitWarning(text: string, type: string): void;
  getBuiltinModule(name: 'node:worker_threads'): {
    readonly Worker: new (program: string, options: object) => Thread;
  };
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's
declare const globalThis: {
  readonly process: Process | undefined;
  /** The program of the server's thread, with its page: the build puts it in. */
  readonly inspectorProgram: string;
};

/**
 * Serves a page that shows what the flows of the tool do: which of them run, what each waits for and since when, guards and their queues,
 * slow steps, errors, and whether the loop is held. Gives its URL once it listens. Flows of the tool are observed until it's closed, which
 * costs about as much as `observe`; they are looked at while a page is open. If the port is taken: an error with the code of the system,
 * `EADDRINUSE`; for what is no tool and for a bad option `InternalError`. Only in Node. Guide: docs/hangs.md#look-at-it-live
 *
 *     const inspector = await inspect(defaultTool, { port: 9330 });
 *     console.log(inspector.url);
 */
export async function inspect(tool: ToolCore, options: InspectOptions = {}): Promise<Inspector> {
  const { port, host, allowCancel, keepAlive } = checked(options);
  const { process } = globalThis;
  if (!process?.getBuiltinModule) throw mistake('it needs Node');
  const memory = heldMemory();
  const program = `${process.argv[1]?.split(/[\\/]/).at(-1) ?? 'node'}, pid ${process.pid}`;
  const workerData: ServerData = {
    ...{ port, host, allowCancel, memory },
    virtual: tool instanceof VirtualTool,
    program,
    origin: Date.now() - clock(),
  };
  // What it's told while it isn't there yet.
  const early: ToServer[] = [];
  let send = (message: ToServer): void => {
    early.push(message);
  };
  const inspected = new Inspected(tool, memory, (number, text) => send({ number, text }));
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const name = 'steptree inspector';
  const thread = new Worker(globalThis.inspectorProgram, {
    ...{ eval: true, execArgv: [], env: {}, name, workerData },
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  send = (message) => thread.postMessage(message);
  for (const message of early) send(message);
  const server = new ServerThread(thread, inspected);
  try {
    const url = await server.url;
    if (!keepAlive) thread.unref();
    return { url, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}

type Checked = { [K in keyof InspectOptions]-?: NonNullable<InspectOptions[K]> };

function checked(options: InspectOptions): Checked {
  if (typeof options !== 'object' || options === null) throw mistake('expected options');
  const known = ['port', 'host', 'allowCancel', 'keepAlive'];
  for (const key of Object.keys(options))
    if (!known.includes(key)) throw mistake(`expected one of ${known.join(' ')}, got '${key}'`);
  const { port = 0, host = '127.0.0.1', allowCancel = false, keepAlive = false } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw mistake(`port: expected a whole number from 0 to 65535, got ${String(port)}`);
  if (typeof host !== 'string' || host === '') throw mistake('host: expected an address');
  if (typeof allowCancel !== 'boolean') throw mistake('allowCancel: expected a boolean');
  if (typeof keepAlive !== 'boolean') throw mistake('keepAlive: expected a boolean');
  return { port, host, allowCancel, keepAlive };
}

function mistake(what: string): StepError {
  return new StepError('InternalError', `inspect: ${what}`);
}
