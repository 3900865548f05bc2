import { defaultTool, type StepError } from '../../src/index.js';
import { inspect, type Inspector } from '../../src/inspector.js';
import { helpText, readOptions } from './options.js';
import { Server } from './server.js';

/** The page of its flows, as `steptree/inspector` has it; of the sources it has yet to be made. */
async function openInspector(): Promise<Inspector> {
  const { inspectorProgram } = await import('../../../tools/inspector.js');
  Object.assign(globalThis, { inspectorProgram: inspectorProgram() });
  return inspect(defaultTool);
}

/**
 * A server of the Redis protocol on the loopback interface. Says `listening on 127.0.0.1:PORT` and (asked to) `inspector at URL`,
 * serves until SIGTERM, SIGINT or (asked to) the end of its standard input, then prints its counters as one line of JSON.
 */
async function main(args: string[]): Promise<void> {
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
  const inspector = options.inspect ? await openInspector() : undefined;
  const server = new Server(defaultTool, options.limits);
  try {
    for (const file of options.plugins) await server.plugins.load(file);
  } catch (error) {
    await inspector?.close();
    const { info, message } = error as StepError;
    process.stderr.write(`--plugin ${info ?? message}\n`);
    process.exitCode = 1;
    return;
  }
  server.listen(options.port, (port) => {
    process.stdout.write(`listening on 127.0.0.1:${port}\n`);
    if (inspector) process.stdout.write(`inspector at ${inspector.url}\n`);
  });
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    process.stdin.destroy();
    server.stop(async () => {
      await inspector?.close();
      process.stdout.write(`${server.statistics()}\n`);
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (options.untilStdinEnds) process.stdin.on('end', stop).resume();
}

await main(process.argv.slice(2));
