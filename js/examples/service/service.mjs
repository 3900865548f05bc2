// A service over HTTP: `GET /wait/300` is answered after 300 ms, as if somebody else had been asked.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { delay, errors, Limiter, Scope, StepError, step, steps, sync } from 'steptree';

const { PORT = '8080', PLACES = '100', QUEUE = '200' } = process.env;

const answer = step((asi, path) => {
  const ms = /^\/wait\/(\d{1,6})$/.exec(path)?.[1];
  if (ms === undefined) return asi.error('NotFound', path);
  return steps(delay(Number(ms)), () => `waited ${ms} ms`);
});
const places = new Limiter({ concurrent: Number(PLACES), maxQueue: Number(QUEUE) });
const request = sync(places, answer).timeout(1000); // the wait for a place is part of it

const statuses = {
  NotFound: 404,
  [errors.DefenseRejected]: 503, // no place, and none in the queue
  [errors.Closed]: 503, // it's about to stop
  [errors.Canceled]: 503, // it has stopped, and this one was too slow
  [errors.Timeout]: 504,
};

const requests = new Scope();
const server = createServer(async ({ url: path }, response) => {
  const client = new AbortController();
  response.once('close', () => client.abort()); // gone, or answered
  const [status, text] = await requests.run(request.with(path), { signal: client.signal }).then(
    (found) => [200, found],
    (error) => {
      const { code } = StepError.of(error);
      return [statuses[code] ?? 500, code];
    },
  );
  console.log(`${path}: ${response.destroyed ? 'the client has left' : text}`);
  if (requests.draining) response.setHeader('connection', 'close');
  response.writeHead(status).end(`${text}\n`);
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on ${server.address().port}`);
});

process.once('SIGTERM', async () => {
  const closed = once(server, 'close');
  server.close(); // nobody else comes; who is idle is gone
  const cancelled = await requests.drain(5000);
  setTimeout(() => server.closeAllConnections(), 1000).unref(); // who doesn't read the answer
  await closed;
  console.log(`stopped, ${cancelled} cancelled`);
});
