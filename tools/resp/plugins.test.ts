import { cppServer, jsServer, pythonServer } from './servers.js';
import { goneSuite } from './suite/expiry.js';
import { pluginSuite } from './suite/plugins.js';
import { reloadSuite } from './suite/reload.js';
import { wireSuite } from './suite/transcript.js';

describe('Python on the wire', function () {
  this.timeout(60_000);
  wireSuite(pythonServer);
  goneSuite(pythonServer);
});

// The same plug-ins in all three servers, and the same replies, byte by byte.
for (const server of [jsServer, cppServer, pythonServer]) {
  describe(`${server.name} with plug-ins`, function () {
    this.timeout(60_000);
    pluginSuite(server);
    reloadSuite(server);
  });
}
