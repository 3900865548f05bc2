import type { AsyncTool, Scope } from '../../src/index.js';
import type { MaybeLimiter } from './limiters.js';
import type { Limits } from './limits.js';
import type { Plugins } from './plugins.js';
import type { Store } from './store.js';
import type { Waiters } from './waiters.js';

/** What all clients share. */
export interface Shared {
  readonly tool: AsyncTool;
  /** Owns the flows of all connections. */
  readonly scope: Scope;
  readonly limits: Limits;
  /** Of the commands of all clients. */
  readonly limiter: MaybeLimiter;
  readonly store: Store;
  readonly plugins: Plugins;
  readonly waiters: Waiters;
  readonly counters: Counters;
  /** The server's counters as JSON. */
  statistics(): string;
}

export interface Counters {
  /** Commands, the wrong ones too. */
  requests: number;
  /** Error replies. */
  errors: number;
  /** Commands that a limiter has refused; they are errors too. */
  rejected: number;
  /** Connections, the refused ones not. */
  accepted: number;
  /** Connections beyond the limit. */
  refused: number;
  /** Flows that were cancelled because their client had gone. */
  cancelled: number;
  /** Flows that ended with an error that nobody had expected. */
  failed: number;
}

/** The client as his commands see him. */
export interface Client {
  readonly id: number;
  readonly shared: Shared;
  /** Of this client's commands. */
  readonly limiter: MaybeLimiter;
  name: string;
  /** Set by a command after whose reply the server closes. */
  leaving: boolean;
  /** Says that the command now waits: then a client who goes away is not answered but cancelled. */
  waits(): void;
}
