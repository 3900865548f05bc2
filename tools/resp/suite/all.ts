import type { ServerCommand } from '../servers.js';
import { crowdSuite, turnsSuite } from './crowd.js';
import { expirySuite } from './expiry.js';
import { guardsSuite } from './guards.js';
import { limitsSuite } from './limits.js';
import { slowSuite } from './slow.js';
import { stoppingSuite } from './stopping.js';
import { timesSuite } from './times.js';
import { transcriptSuite } from './transcript.js';
import { waitingSuite } from './waiting.js';

/** Everything that a server in whatever language has to pass. */
export function respSuite(server: ServerCommand): void {
  describe(server.name, function () {
    // Nothing takes so long; what never comes is found out after it.
    this.timeout(30_000);
    transcriptSuite(server);
    limitsSuite(server);
    timesSuite(server);
    expirySuite(server);
    waitingSuite(server);
    slowSuite(server);
    crowdSuite(server);
    turnsSuite(server);
    guardsSuite(server);
    stoppingSuite(server);
  });
}
