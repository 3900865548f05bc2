/** What one client may ask of the server. Sizes are bytes, times are milliseconds, 0 as a time is "no limit". */
export interface Limits {
  /** Clients served at the same time; one more is told so and closed. */
  connections: number;
  /** Steps that a client's flow runs in a row before it is the others' turn. */
  burst: number;
  /** One argument of a command. */
  bulk: number;
  /** Arguments of one command, its name included. */
  args: number;
  /** All arguments of one command together. */
  request: number;
  /** One line: an inline command or a length. */
  line: number;
  /** Received and not yet looked at; beyond it the socket isn't read. */
  input: number;
  /** Replies that the client has not taken; beyond it no further command of his is run. */
  output: number;
  /** One command, from its first step to its reply; a wait that the client asked for has its own. */
  commandMs: number;
  /** From the first byte of a command to its last. */
  requestMs: number;
  /** Between two commands. */
  idleMs: number;
  /** Until the client has taken the replies beyond `output`. */
  outputMs: number;
  /** Until the client has closed his side too, once the server has closed its own. */
  lingerMs: number;
}

export function defaultLimits(): Limits {
  return {
    connections: 1000,
    burst: 100,
    bulk: 8 * 1024 * 1024,
    args: 65_536,
    request: 16 * 1024 * 1024,
    line: 64 * 1024,
    input: 1024 * 1024,
    output: 1024 * 1024,
    commandMs: 5000,
    requestMs: 10_000,
    idleMs: 0,
    outputMs: 10_000,
    lingerMs: 1000,
  };
}
