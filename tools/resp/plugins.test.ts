import { cppServer, jsServer, pythonServer } from './servers.js';
import { pluginSuite } from './suite/plugins.js';
import { reloadSuite } from './suite/reload.js';

// The same plug-ins in all three servers, and the same replies, byte by byte.
for (const server of [jsServer, cppServer, pythonServer]) {
  describe(`${server.name} with plug-ins`, function () {
    this.timeout(60_000);
    pluginSuite(server);
    reloadSuite(server);
  });
}
