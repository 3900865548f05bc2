/** Loaded before `js/src/redis.ts` is used: what the build puts in is read from the files. */
import { redisScripts } from '../../tools/redis/scripts.js';

Object.assign(globalThis, { redisScripts: redisScripts() });
