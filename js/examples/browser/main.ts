/** npm run build && node --import tsx js/examples/browser/main.ts */
import type { AddressInfo } from 'node:net';
import { pageServer } from './server.js';

const slowness = 1000;
const server = pageServer({
  search: (text, answer) => {
    const lines = ['one', 'two', 'three'].map((number) => `${text} ${number}`);
    const timer = setTimeout(() => answer.end(JSON.stringify(lines)), slowness);
    answer.once('close', () => clearTimeout(timer));
  },
  dropped: (text) => console.log(`nobody waits for '${text}' any more`),
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
