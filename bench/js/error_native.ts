import { errors } from './errors.js';

/** The same error as other subjects throw: the language's own, with its stack. */
export const error_native = errors(() => {
  throw new Error('Refused');
}, 'InternalError');
