// What processes share over Redis. An entry point of its own, `steptree/redis`: nothing else knows of it. The client is the program's, one of the
// package `redis` or `ioredis`.
//
//     import { createClient } from 'redis';
//     import { RedisConnection } from 'steptree/redis';
//
//     const client = await createClient().connect();
//     const shop = new RedisConnection(client, { prefix: 'shop' });

export type { IoRedisClient, NodeRedisClient, RedisClient } from './redisclient.js';
export { RedisConnection, type RedisOptions } from './redisconnection.js';
export type { DeadLetter } from './deadletter.js';
export type { Job } from './heldjob.js';
export { call, type CallOptions } from './call.js';
export type { JobFailure } from './jobfailure.js';
export {
  enqueue,
  type EnqueueOptions,
  type JobCounts,
  type JobLook,
  JobQueue,
  type JobQueueOptions,
  type JobState,
} from './jobqueue.js';
export type { JobRetry } from './jobretry.js';
export { type Worker, worker, type WorkerOptions } from './worker.js';
export {
  type AnyMethods,
  type ArgumentsOf,
  type MethodOf,
  type ReplyOf,
  RedisService,
  type RedisServiceOptions,
} from './redisservice.js';
export { type Handlers, serve, type ServeOptions, type Server } from './serve.js';
export type { ServedCall } from './servedcall.js';
export { RedisMutex, type RedisMutexOptions } from './redismutex.js';
export type { RedisGuard, RedisGuardCounts, RedisGuardOptions, WhenDown } from './redisguard.js';
export { RedisLimiter, type RedisLimiterOptions } from './redislimiter.js';
export { RedisRwLock, type RedisRwLockOptions } from './redisrwlock.js';
export { RedisThrottle, type RedisThrottleOptions } from './redisthrottle.js';
