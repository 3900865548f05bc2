import { Crowd } from './crowd.js';
import { waitingBytes } from './crowds.js';

/** What the heap grows by for each of `size` flows that wait in one step. */
export const waiting_bytes = waitingBytes((size) => new Crowd(size));
