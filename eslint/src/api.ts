// What the calls of steptree are given, by their names. A number is the place of an argument.

/** What a function is to steptree that is given to it. `iteration`: its returned value is dropped. */
export type Role = 'body' | 'iteration' | 'handler' | 'deferred' | 'cancel' | 'sink';

type Places = Readonly<Record<number, Role>>;

/** The methods of flows, accessors, and what `parallel()` gives, that each add a step. */
const adders: Readonly<Record<string, Places>> = {
  add: { 0: 'body', 1: 'handler' },
  loop: { 0: 'iteration' },
  repeat: { 1: 'iteration' },
  forEach: { 1: 'iteration' },
  sync: { 1: 'body', 2: 'handler' },
  await: { 1: 'handler' },
  parallel: { 0: 'handler' },
  successStep: {},
  relinquish: {},
};

const ofAccessors: Readonly<Record<string, Places>> = {
  setCancel: { 0: 'cancel' },
  defer: { 0: 'deferred' },
};

/** The functions that make step values. Of those that have no places each argument is a body. */
const factories: Readonly<Record<string, Places | undefined>> = {
  step: { 0: 'body' },
  steps: undefined,
  all: undefined,
  any: undefined,
  parallel: undefined,
  race: undefined,
  loop: { 0: 'iteration' },
  repeat: { 1: 'iteration' },
  forEach: { 1: 'iteration' },
  delay: {},
  hedge: { 1: 'body' },
  map: { 2: 'body' },
  retry: { 1: 'body' },
  shield: { 1: 'body' },
  sync: { 1: 'body' },
};

const methodsOfSteps = new Set(['named', 'onError', 'timeout', 'with']);

/** What an accessor is good for at any time: also when its step can't act. */
const always = new Set(['signal', 'state', 'valid']);

const failing = new Set([
  ...['error', 'errorNoThrow', 'break', 'breakLoop', 'breakNoThrow'],
  ...['continue', 'continueLoop', 'continueNoThrow'],
]);

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const isAdder = (name: string): boolean => Object.hasOwn(adders, name);
export const isFactory = (name: string): boolean => Object.hasOwn(factories, name);
export const isMethodOfSteps = (name: string): boolean => methodsOfSteps.has(name);
export const isAlwaysValid = (name: string): boolean => always.has(name);
/** Whether it ends the step by an error, `break` or `continue`. */
export const isFailing = (name: string): boolean => failing.has(name);

/** Whether it's a method of accessors that needs them to be valid. */
export const isOfAccessors = (name: string): boolean =>
  isAdder(name) ||
  isFailing(name) ||
  Object.hasOwn(ofAccessors, name) ||
  /^(?:newInstance|remaining|setTimeout|success|waitExternal)$/.test(name);

/** What the argument is of a method of a flow, an accessor or a parallel step. */
export function roleInMethod(name: string, place: number): Role | undefined {
  return own(adders, name)?.[place] ?? own(ofAccessors, name)?.[place];
}

/** What the argument is of a function that the package exports. */
export function roleInFunction(name: string, place: number): Role | undefined {
  if (name === 'run') return place === 0 ? 'body' : undefined;
  if (!isFactory(name)) return undefined;
  const places = factories[name];
  return places === undefined ? 'body' : places[place];
}

/** Whether all arguments of the function are bodies, wherever they stand. */
export const takesBodiesOnly = (name: string): boolean =>
  isFactory(name) && factories[name] === undefined;
