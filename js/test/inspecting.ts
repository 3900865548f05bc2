// An inspector in tests: its program is made of the sources, and what a page would ask is asked by hand.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { Worker } from 'node:worker_threads';
import { inspectorProgram } from '../../tools/inspector.js';
import type { Bye, Frame, Held, Hello, Message, View } from '../src/imessages.js';
import { type InspectOptions, type Inspector, inspect } from '../src/inspector.js';
import { step } from '../src/index.js';
import { runningOf } from '../src/snapshot.js';
import type { ToolCore } from '../src/toolcore.js';

const schemaOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../spec/${name}`, import.meta.url), 'utf8'));
const ajv = new Ajv2020({ schemas: [schemaOf('inspector.schema.json')], strict: false });
ajv.addSchema(schemaOf('snapshot.schema.json'), 'snapshot.schema.json');
const isMessage = ajv.getSchema('inspector.schema.json')!;

export const hang = step((asi) => void asi.waitExternal());
export const quiet = { unhandled: () => {}, report: () => {} };
export const hostile = '<img src=x onerror="alert(1)">\n\ndata: {}\n\n';

let program: string | undefined;
const streams: Stream[] = [];
const opened = new Map<Inspector, ToolCore>();

/** It's closed by `closeAll`, as all streams are, and what runs on the tool is cancelled: a timer would keep the process. */
export async function open(tool: ToolCore, options?: InspectOptions): Promise<Inspector> {
  program ??= inspectorProgram();
  Object.assign(globalThis, { inspectorProgram: program });
  const inspector = await inspect(tool, options);
  opened.set(inspector, tool);
  return inspector;
}

export async function closeAll(): Promise<void> {
  for (const stream of streams.splice(0)) stream.close();
  for (const [inspector, tool] of opened) {
    await inspector.close();
    for (const flow of runningOf(tool)) flow.cancel();
  }
  opened.clear();
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Any request at all, with headers that `fetch` refuses. */
export async function ask(url: string, options: RequestOptions = {}, body = ''): Promise<Answer> {
  const asked = request(url, { agent: false, ...options });
  asked.on('error', () => {}); // the first one rejects, below
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode!, headers: response.headers, text };
}

export const post = (url: string, body: unknown) =>
  ask(url, { method: 'POST' }, typeof body === 'string' ? body : JSON.stringify(body));

/** An open page. All messages have to be as the schema says. */
export class Stream {
  readonly response: IncomingMessage;
  readonly #url: string;
  readonly #messages: Message[] = [];
  #text = '';
  #come: (() => void) | undefined;
  #number = 0;
  /** How many have come. */
  frames = 0;
  #hear!: (hello: Hello) => void;
  /** The first message. */
  readonly hello = new Promise<Hello>((resolve) => (this.#hear = resolve));
  isOver = false;

  private constructor(url: string, response: IncomingMessage) {
    this.#url = url;
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    response.on('error', () => {});
    response.on('close', () => {
      this.isOver = true;
      this.#come?.();
    });
  }

  static async open(url: string): Promise<Stream> {
    const asked = request(`${url}events`, { agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}`);
    const stream = new Stream(url, response);
    streams.push(stream);
    return stream;
  }

  #read(text: string): void {
    const parts = (this.#text + text).split('\n\n');
    this.#text = parts.pop()!;
    for (const part of parts) {
      const message = JSON.parse(part.slice('data: '.length)) as Message;
      if (message.type === 'hello') this.#hear(message);
      else this.#messages.push(message);
      if (message.type === 'frame') this.frames++;
    }
    this.#come?.();
  }

  /** The next one that is like that; those before it are dropped. Undefined: the stream has ended. */
  async next<M extends Message>(isIt: (message: Message) => message is M): Promise<M>;
  async next(isIt: (message: Message) => boolean): Promise<Message>;
  async next(isIt: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) {
        isMessage(message);
        expect(isMessage.errors ?? []).to.deep.equal([]);
        if (isIt(message)) return message;
        continue;
      }
      if (this.isOver) throw new Error('the stream has ended');
      await new Promise<void>((come) => (this.#come = come));
    }
  }

  /** The next frame that is like that. */
  frame(isIt: (frame: Frame) => boolean = () => true): Promise<Frame> {
    return this.next((message): message is Frame => message.type === 'frame' && isIt(message));
  }

  held(): Promise<Held> {
    return this.next((message): message is Held => message.type === 'held');
  }

  bye(): Promise<Bye> {
    return this.next((message): message is Bye => message.type === 'bye');
  }

  /** Asks for that. Gives the number of the view. */
  async look(view: Partial<View>): Promise<number> {
    const { page } = await this.hello;
    const number = ++this.#number;
    const answer = await post(`${this.#url}view`, {
      ...{ page, sort: 'since', first: 0, rows: 50, number },
      ...view,
    });
    if (answer.status !== 204) throw new Error(`${answer.status}`);
    return number;
  }

  /** The first frame with that view that is like that. */
  async seen(view: Partial<View>, isIt: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const number = await this.look(view);
    return this.frame((frame) => frame.number === number && isIt(frame));
  }

  close(): void {
    this.response.destroy();
  }
}

const watching = `
const { parentPort, workerData: { url, flag } } = require('node:worker_threads');
require('node:http').get(url + 'events', (response) => {
  let text = '';
  response.setEncoding('utf8').on('data', (more) => {
    const parts = (text + more).split('\\n\\n');
    text = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part.slice('data: '.length));
      if (message.type === 'frame') parentPort.postMessage('reads');
      if (message.type !== 'held' || message.path === undefined) continue;
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
      parentPort.postMessage(message);
      parentPort.close();
      response.destroy();
      return;
    }
  });
});`;

/** A page that another thread reads: so this one can be held till that has heard of it. */
export class Watcher {
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  readonly reads: Promise<unknown>;
  readonly held: Promise<Held>;

  constructor(url: string) {
    const options = { eval: true, execArgv: [], workerData: { url, flag: this.#flag } };
    const worker = new Worker(watching, options);
    this.reads = once(worker, 'message');
    this.held = new Promise((resolve, reject) => {
      worker.on('message', (message) => message !== 'reads' && resolve(message));
      worker.on('error', reject);
    });
  }

  /** Returns when it has heard that the loop is held. */
  hold(): void {
    Atomics.wait(this.#flag, 0, 0);
  }
}
