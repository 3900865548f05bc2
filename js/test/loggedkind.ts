import type { Body } from '../src/index.js';
import type { Kind } from '../src/kind.js';

/** A kind with a body, that logs when it's left and when it closes. */
export abstract class LoggedKind implements Kind {
  readonly body: Body;
  protected readonly log: string[];

  constructor(body: Body, log: string[]) {
    this.body = body;
    this.log = log;
  }

  exit(): unknown {
    this.log.push('left');
    return undefined;
  }

  closed(): unknown {
    this.log.push('closed');
    return undefined;
  }
}
