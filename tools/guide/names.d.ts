/** What the examples in comments of the JavaScript interface use, and don't declare. */
import type {
  AsyncSteps,
  AsyncTool,
  Barrier,
  Body,
  Channel,
  Gate,
  IAsyncSteps,
  Keyed,
  Limiter,
  Mutex,
  RetryBudget,
  Scope,
  Step,
} from 'steptree';
import type { TaskPool } from 'steptree/pool';
import type * as redis from 'steptree/redis';

declare global {
  interface User {
    name: string;
  }
  interface Job {
    id: number;
  }

  const asi: IAsyncSteps;
  const flow: AsyncSteps;
  const tool: AsyncTool;
  const clients: Scope;
  const jobs: Channel<Job>;
  const mutex: Mutex;
  const ledger: redis.RedisMutex;
  const connections: Mutex;
  const calls: Limiter;
  const perUser: Keyed<string, Limiter>;
  const ready: Gate;
  const phase: Barrier;
  const budget: RetryBudget;
  const pool: TaskPool;
  const outgoing: redis.RedisThrottle;
  const prices: redis.RedisRwLock;
  const client: redis.RedisClient;
  const shop: redis.RedisConnection;
  const books: redis.RedisService<{ quote(isbn: string, copies: number): number }>;
  const bookServer: redis.Server;
  const quote: (asi: IAsyncSteps, args: [isbn: string, copies: number]) => number;
  const letters: redis.JobQueue<{ to: string }>;
  const letter: redis.Job;
  const letterWorker: redis.Worker;
  const send: Step<[letter: { to: string }, job: redis.Job], []>;

  const user: User;
  const ann: User;
  const job: Job;
  const id: string;
  const question: string;
  const url: string;
  const urls: string[];
  const thrown: unknown;
  const signal: AbortSignal;
  const connection: { query(sql: string): Promise<string[]> };
  const emitter: NodeJS.EventEmitter;
  const server: NodeJS.EventEmitter & { close(): void };
  const socket: { destroy(): void };

  const body: Body;
  const render: (asi: IAsyncSteps, ...pages: any[]) => string;
  const fallback: (asi: IAsyncSteps) => void;
  const loadUser: Step<[id: string], [User]>;
  const load: Step<[id: string], [string]>;
  const greet: Step<[name: string], [string]>;
  const profile: Step<[id: string], [string]>;
  const converse: Step<[client: { destroy(): void }], []>;
  const ask: Step<any, [string]>;
  const carts: Step<[User], [number]>;
  const mails: Step<[User], [number]>;
  const near: Step<[question: string], [string]>;
  const far: Step<[question: string], [string]>;
  const first: Step<[file: string], [string]>;
  const second: Step<[file: string], [string]>;
  const third: Step<[file: string], [string]>;
  const poll: Step<any, []>;
  const produce: Step<any, []>;
  const charge: Step<any, []>;
  const warmCache: Step<any, []>;
  const openSocket: Step<any, []>;
  const compute: Step<any, []>;
  const computeMore: Step<any, []>;
  const exchange: Step<any, []>;
  const write: Step<any, []>;
  const flush: Step<any, []>;
  const commit: Step<any, []>;
  const rollBack: Step<any, []>;
  const look: Step<any, []>;
  const change: Step<any, []>;
  const copyAll: Step<any, []>;

  const show: (...what: unknown[]) => string;
  const log: (what: unknown) => void;
  const tell: () => void;
  const refuse: (error: unknown) => void;
  const scale: (width: number) => number;
  const sum: (sizes: readonly number[]) => number;
  const work: (job: Job) => Promise<void>;
  const fetchSize: (url: string) => Promise<number>;
  const fetchUser: (id: string, options?: { timeout: number }) => Promise<User>;
}
