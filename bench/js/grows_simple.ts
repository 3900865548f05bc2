import { Crowd } from './crowd.js';
import { beside } from './crowds.js';
import { simple } from './simple.js';

/** `simple`, while `count` other flows wait. */
export const grows_simple = beside((count) => new Crowd(count), simple);
