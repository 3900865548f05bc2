import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  AsyncSteps,
  Channel,
  type IAsyncSteps,
  type ICompletion,
  Mutex,
  delay,
  map,
} from '../src/index.js';

const storage = new AsyncLocalStorage<string>();
const requests = 300;

/** Whoever comes completes who came before, and the last one is let go by an event. */
class Relay {
  #last: ICompletion | undefined;
  #left = requests;

  wait(asi: IAsyncSteps): void {
    const done = asi.waitExternal();
    this.#last?.success();
    this.#last = done;
    if (--this.#left === 0) setImmediate(() => done.success());
  }
}

interface Seen {
  wrong: string[];
  total: number;
}

/** What a request does, with all that steps wait for. */
function fill(
  flow: AsyncSteps,
  see: (what: string) => void,
  guards: { mutex: Mutex; channel: Channel<number>; relay: Relay },
  i: number,
): void {
  const { mutex, channel, relay } = guards;
  flow.add((asi) => {
    see('body');
    asi.defer(() => see('defer'));
    asi.add(delay(i % 7)).add(async () => {
      see('async body');
      await null;
      see('after an await');
      await new Promise((resolve) => setTimeout(resolve, i % 3));
      see('after a timer');
    });
    asi.add(
      map([1, 2, 3], { limit: 2 }, async () => {
        see('item');
        await null;
        see('item after an await');
      }),
    );
    const both = asi.parallel();
    both.add(() => see('branch'));
    both.add(delay(i % 5)).add(() => see('late branch'));
    asi.sync(mutex, (asi) => {
      see('section');
      asi.add(delay(0)).add(() => see('end of the section'));
    });
    asi.add((asi) => relay.wait(asi)).add(() => see('completed by another request'));
    asi.add((asi) => (i % 2 === 0 ? channel.send(asi, i) : channel.receive(asi)));
    asi.add(() => see('after the channel'));
    asi.add(
      (asi) => {
        asi.setTimeout(1);
        asi.setCancel(() => see('cancel handler'));
      },
      (asi) => {
        see('handler');
        asi.success();
      },
    );
  });
}

/** How many moments of a request are looked at. */
const moments = 20;

async function fetchFrom(port: number, path: string): Promise<void> {
  const [answer] = (await once(get({ port, path }), 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
}

describe('requests', function () {
  this.timeout(60_000);

  after(() => storage.disable());

  it('300 interleaved requests see their own contexts only', async () => {
    const seen: Seen = { wrong: [], total: 0 };
    const guards = {
      mutex: new Mutex(),
      channel: new Channel<number>({ capacity: 0 }),
      relay: new Relay(),
    };
    let begun = 0;
    const server = createServer((request, response) =>
      storage.run(request.url!, () => {
        const see = (what: string) => {
          seen.total++;
          if (storage.getStore() !== request.url) seen.wrong.push(`${what}: ${storage.getStore()}`);
        };
        const flow = new AsyncSteps();
        fill(flow, see, guards, begun++);
        const end = () => {
          see('done');
          response.end('ok');
        };
        if (begun % 3 === 0) void flow.promise().then(end);
        else flow.execute(end);
      }),
    ).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: requests }, (_, i) => fetchFrom(port, `/${i}`));
    await Promise.all(clients);
    server.close();
    expect(seen.wrong).to.deep.equal([]);
    expect(seen.total).to.equal(requests * moments);
  });
});
