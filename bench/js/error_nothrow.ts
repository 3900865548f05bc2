import { errors } from './errors.js';

/** The same way up for an error that is no exception. */
export const error_nothrow = errors((asi) => asi.errorNoThrow('Refused'));
