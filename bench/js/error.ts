import { errors } from './errors.js';

/** An error that is thrown three levels deep and recovered at the top. */
export const error = errors((asi) => asi.error('Refused'));
