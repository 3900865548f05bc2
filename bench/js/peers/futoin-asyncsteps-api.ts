/** What the programs of futoin-asyncsteps use of it. */
import { createRequire } from 'node:module';

export type Body = (as: Steps, ...values: number[]) => void;

export interface Steps {
  add(body: Body, onerror?: (as: Steps, code: string) => void): Steps;
  loop(body: Body): Steps;
  sync(guard: object, body: Body): Steps;
  parallel(): Steps;
  await(promise: Promise<unknown>): Steps;
  execute(): Steps;
  promise(): Promise<unknown>;
  cancel(): Steps;
  success(...values: unknown[]): void;
  error(code: string): never;
  break(): never;
  setTimeout(ms: number): Steps;
  setCancel(handler: () => void): Steps;
  waitExternal(): Steps;
}

// Its own switch for the best speed.
process.env['NODE_ENV'] = 'production';
const require = createRequire(import.meta.url);
export const $as = require('futoin-asyncsteps') as () => Steps;
export const Mutex = require('futoin-asyncsteps/Mutex') as new () => object;
export const Limiter = require('futoin-asyncsteps/Limiter') as new (limits: object) => object;
export const version: string = require('futoin-asyncsteps/package.json').version;
