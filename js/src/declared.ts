// The codes of a program, as the compiler sees them.

import type { errors } from './codes.js';

/**
 * A program that declares its codes has them checked: where it raises one, and where a handler looks at one. Those of libraries and of
 * the system belong to them.
 *
 *     declare module 'steptree' {
 *       interface Codes { NotFound: true; ECONNREFUSED: true }
 *     }
 */
// biome-ignore lint/suspicious/noEmptyInterface: programs merge theirs into it
export interface Codes {}

/** What the program has declared, and the codes of the runtime; any text if it has declared none. */
export type Code = [keyof Codes] extends [never] ? string : keyof Codes | keyof typeof errors;
