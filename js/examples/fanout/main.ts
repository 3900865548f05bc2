/** node --import tsx js/examples/fanout/main.ts weather=http://127.0.0.1:8001/ news=http://127.0.0.1:8002/ */
import type { AddressInfo } from 'node:net';
import { fanout } from './fanout.js';

const upstreams = Object.fromEntries(
  process.argv.slice(2).map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  }),
);
const limits = { concurrent: 100, maxQueue: 100, rate: 1000 };
const server = fanout({ upstreams, deadline: 500, limits });
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
