// Where functions were written, for snapshots. An entry point of its own, `steptree/locate`, for Node: nothing else knows of it.
//
//     import { defaultTool, snapshot, snapshotText } from 'steptree';
//     import { locator } from 'steptree/locate';
//
//     const { locate, close } = locator();
//     console.log(snapshotText(snapshot(defaultTool, { locate })));
//     close();
//
// V8 knows it, and says it to who debugs: to a session of Node's inspector inside of the process, which listens to no port. Which file a script
// is it tells only when debugging is switched on; so that is done for a moment, where one is asked for that isn't known yet.

import { errors, type Locate, snapshot, StepError, VirtualTool } from './index.js';

/** What `locator` gives. */
export interface Locator {
  /** For the option `locate` of `snapshot`, `dumpOnSignal` and `StallWatch`. `undefined`: it's none of a file, or this is closed. */
  readonly locate: Locate;
  /** Lets go of Node's inspector. May be called again. */
  readonly close: () => void;
}

type Body = Parameters<Locate>[0];

/** What the protocol says of an object: the parts that are needed. */
interface Remote {
  readonly objectId?: string;
  readonly value?: unknown;
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
}

/** Numbers count from 0. */
interface Place {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface Session {
  connect(): void;
  disconnect(): void;
  post(method: string, params: object, told: (error: unknown, answer: any) => void): void;
  on(event: string, told: (message: { readonly params: Script }) => void): void;
}

interface SourceMap {
  findEntry(
    line: number,
    column: number,
  ): {
    readonly originalSource?: string;
    readonly originalLine: number;
    readonly originalColumn: number;
  };
}

interface Builtin {
  'node:inspector': { readonly Session: new () => Session };
  'node:module': { findSourceMap(url: string): SourceMap | undefined };
  'node:url': { fileURLToPath(url: string): string };
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's
declare const globalThis: {
  readonly process: { getBuiltinModule<N extends keyof Builtin>(name: N): Builtin[N] } | undefined;
};

/** Where the session finds the function, in whichever realm this runs: such a module is one for all. */
const KEY = 'steptree.located';
const GROUP = 'steptree';
/** A function that is bound, of one that is, … */
const BOUND = 8;

/**
 * Finds out where functions were written, the bodies of steps that begin to wait from now on: call it first. Of TypeScript it says the line
 * of that if Node knows source maps, by `--enable-source-maps` or a loader as tsx. Each function object takes some 0.2 ms, the
 * first one more. It listens to nothing, and another debugger doesn't mind. Where Node's inspector can't be used, as outside of Node, or
 * where `--permission` forbids it: `InternalError`.
 * Guide: docs/hangs.md#where-it-was-written
 *
 *     const { locate, close } = locator();
 *     console.log(snapshotText(snapshot(defaultTool, { locate })));
 */
export function locator(...none: readonly []): Locator {
  if (none.length > 0)
    throw new StepError(
      errors.InternalError,
      'locator: it takes nothing; give what it returns: locator().locate',
    );
  const located = new Located();
  const locate: Locate = (body) => located.of(body);
  snapshot(new VirtualTool(), { locate }); // from now on bodies are kept
  return { locate, close: () => located.close() };
}

function connected(): Session {
  try {
    const { Session } = globalThis.process!.getBuiltinModule('node:inspector');
    const session = new Session();
    session.connect();
    // Others' sessions answer later, or never.
    let answers = false;
    session.post('Runtime.evaluate', { expression: '0' }, (error) => {
      answers = error === null;
    });
    if (answers) return session;
    session.disconnect();
    throw new Error('its session answers nothing at once');
  } catch (reason) {
    const info = "locator: Node's inspector can't be used here";
    throw new StepError(errors.InternalError, info, reason);
  }
}

class Located {
  #session: Session | null = connected();
  /** URLs by numbers of scripts. */
  readonly #scripts = new Map<string, string>();
  readonly #known = new WeakMap<Body, string | undefined>();

  constructor() {
    this.#session!.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
      this.#scripts.set(scriptId, url);
    });
  }

  of(body: Body): string | undefined {
    if (this.#session === null) return undefined;
    if (this.#known.has(body)) return this.#known.get(body);
    const place = this.#placeOf(body);
    const text = place && this.#textOf(place);
    this.#known.set(body, text);
    return text;
  }

  close(): void {
    this.#session?.disconnect();
    this.#session = null;
  }

  #ask(method: string, params: object = {}): any {
    let answer: unknown;
    this.#session!.post(method, params, (_error, told) => {
      answer = told;
    });
    return answer;
  }

  #placeOf(body: Body): Place | undefined {
    const shared = globalThis.process!.getBuiltinModule('node:inspector') as any;
    shared[KEY] = body;
    try {
      const expression = `process.getBuiltinModule('node:inspector')['${KEY}']`;
      const { result } = this.#ask('Runtime.evaluate', { expression, objectGroup: GROUP });
      return this.#placeAt(result);
    } finally {
      delete shared[KEY];
      this.#ask('Runtime.releaseObjectGroup', { objectGroup: GROUP });
    }
  }

  #placeAt(body: Remote): Place | undefined {
    let at: Remote | undefined = body;
    for (let i = 0; i < BOUND && at?.objectId !== undefined; i++) {
      const { objectId } = at;
      const answer = this.#ask('Runtime.getProperties', { objectId, ownProperties: true });
      const parts: { name: string; value?: Remote }[] = answer.internalProperties ?? [];
      const partOf = (name: string) => parts.find((part) => part.name === name)?.value;
      const place = partOf('[[FunctionLocation]]');
      if (place !== undefined) return place.value as Place;
      at = partOf('[[TargetFunction]]');
    }
    return undefined;
  }

  #textOf({ scriptId, lineNumber, columnNumber }: Place): string | undefined {
    const url = this.#urlOf(scriptId);
    if (!url) return undefined;
    const map = globalThis.process!.getBuiltinModule('node:module').findSourceMap(url);
    const entry = map?.findEntry(lineNumber, columnNumber);
    return entry?.originalSource === undefined
      ? placeText(url, lineNumber, columnNumber)
      : placeText(entry.originalSource, entry.originalLine, entry.originalColumn);
  }

  #urlOf(scriptId: string): string | undefined {
    if (!this.#scripts.has(scriptId)) {
      this.#ask('Debugger.enable');
      this.#ask('Debugger.disable');
    }
    return this.#scripts.get(scriptId);
  }
}

function placeText(url: string, line: number, column: number): string {
  const { fileURLToPath } = globalThis.process!.getBuiltinModule('node:url');
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return `${file}:${line + 1}:${column + 1}`;
}
