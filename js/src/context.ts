// Asynchronous contexts, which Node's `AsyncLocalStorage` is made of: that of now, and none at all.
//
// - The module is asked for when it's needed, by name: a static import would load in every process what few use, and break bundles for
//   browsers. Their build knows no `globalThis.process`, so most of this isn't in it.
// - Whoever uses no context pays for one question. Node keeps a list of what it has loaded, and loads storages when somebody asks for
//   them. Where they are made of hooks, promises are numbered while one is in use. Another platform, or a Node that no test has seen,
//   is taken to use them always: that costs time, and is right.
// - None at all is a context from which everything was taken that it had found when it was made.

/** The asynchronous context of the moment in which it was made. */
export interface Context {
  runInAsyncScope<A extends unknown[], R>(fn: (...args: A) => R, self: unknown, ...args: A): R;
}

interface Process {
  getBuiltinModule?(name: string): any;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it has no type without Node's or a browser's
declare const globalThis: { readonly process: Process | undefined };

/** False in the build for browsers, which is without all that depends on it. */
export const inNode = globalThis.process !== undefined;

/** The newest that the tests run on. */
export const newestNode = 26;
const frames = 'NativeModule internal/async_context_frame';
const storage = 'NativeModule internal/async_local_storage/';

/** What Node has loaded. While it's so long nobody uses contexts. */
let loaded: readonly string[] = [];
let unused = -1;

/** Whether somebody may use contexts in this process. Asked for each flow: it is inlined, and calls nothing. */
export function contextsInUse(): boolean {
  return loaded.length !== unused && look();
}

let look = (): boolean => (look = chooseTest())();

function chooseTest(): () => boolean {
  const load = globalThis.process?.getBuiltinModule;
  if (load === undefined) {
    unused = 0;
    return never;
  }
  const { moduleLoadList, versions } = load('process');
  if (!Array.isArray(moduleLoadList) || !(Number.parseInt(versions.node, 10) <= newestNode)) {
    return always;
  }
  if (!moduleLoadList.includes(frames)) return numbersPromises();
  loaded = moduleLoadList;
  return () => {
    const { length } = loaded;
    if (!loaded.some((name) => name.startsWith(storage))) {
      unused = length;
      return false;
    }
    unused = -1;
    if (loaded.includes(`${storage}async_hooks`)) {
      look = numbersPromises();
    } else {
      frame = keyOf('context_frame');
      look = always;
    }
    return look();
  };
}

const never = () => false;
const always = () => true;

/** Hooks give numbers to promises, at least to the language's own. */
function numbersPromises(): () => boolean {
  const number = keyOf('async_id_symbol');
  return number === undefined ? always : () => number in nothing();
}

async function nothing(): Promise<void> {}

function keyOf(name: string): symbol | undefined {
  return Object.getOwnPropertySymbols(capture()).find(({ description }) => description === name);
}

/** Where a context has its stores, if it's known: without any it is none. */
let frame: symbol | undefined;

let AsyncResource: (new (name: string) => Context) | undefined;

function capture(): Context {
  AsyncResource ??= globalThis.process!.getBuiltinModule!('async_hooks').AsyncResource;
  return new AsyncResource!('steptree');
}

let empty: Context | undefined;

function emptied(): Context {
  const context: any = capture();
  for (const key of Object.getOwnPropertySymbols(context)) {
    if (/context|store/i.test(key.description!)) context[key] = undefined; // to delete it would slow down all others
  }
  return context;
}

/** That of now; null if it is none. */
export function contextOfNow(): Context | null {
  if (!inNode || !contextsInUse()) return null;
  const context: any = capture();
  return frame !== undefined && context[frame] === undefined ? null : context;
}

/** What calls that function in the context of now. */
export function inContextOfNow(fn: () => void): () => void {
  const context = contextOfNow();
  return context === null ? fn : () => context.runInAsyncScope(fn, null);
}

/** None at all; null if none is in use. One for each who asks, as `enterWith()` may change it. */
export function noContext(): Context | null {
  return inNode && contextsInUse() ? outside(capture) : null;
}

/** Calls a function of ours outside of any context: what it starts brings none with it. */
export function outside<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
  if (!inNode || !contextsInUse()) return fn(...args);
  return (empty ??= emptied()).runInAsyncScope(fn, null, ...args);
}
