import { defaultTool } from '../../src/index.js';
import { helpText, readOptions } from './options.js';
import { Server } from './server.js';

/**
 * A server of the Redis protocol on the loopback interface. Says `listening on 127.0.0.1:PORT`, serves until SIGTERM,
 * SIGINT or (asked to) the end of its standard input, then prints its counters as one line of JSON.
 */
function main(args: string[]): void {
  const options = readOptions(args);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(helpText());
    return;
  }
  const server = new Server(defaultTool, options.limits);
  server.listen(options.port, (port) => {
    process.stdout.write(`listening on 127.0.0.1:${port}\n`);
  });
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    process.stdin.destroy();
    server.stop(() => process.stdout.write(`${server.statistics()}\n`));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (options.untilStdinEnds) process.stdin.on('end', stop).resume();
}

main(process.argv.slice(2));
