import { tested } from './testing.js';

const right = (line: string) => `step((asi) => { ${line} });`;

tested('no-late-accessor', {
  right: {
    'it asks before':
      'step((asi) => { setTimeout(() => { if (asi.valid()) asi.success(1); }, 5); });',
    'a completion is taken': right(
      'const done = asi.waitExternal(); setTimeout(() => done.success(), 5);',
    ),
    'the step waits for its completion': right(
      'asi.waitExternal(); setTimeout(() => asi.success(), 5);',
    ),
    'a timer or a cancel handler makes it wait': `
      step((asi) => { asi.setTimeout(9); setTimeout(() => asi.success(), 5); });
      step((asi) => { asi.setCancel(stop); socket.once('data', () => asi.success()); });`,
    'it waits on one way': right(
      'if (slow) asi.waitExternal(); setTimeout(() => asi.success(), 5);',
    ),
    'it waits for what the body returns': `
      step((asi) => ask().then((text) => asi.success(text)));
      step((asi) => { if (x) return 5; return ask().then((text) => asi.success(text)); });
      step((asi) => x ? undefined : ask().then((text) => asi.success(text)));`,
    'an async body':
      'step(async (asi) => { await sleep(5); asi.success(1); ask().then(() => asi.success()); });',
    'who gets the accessor may make it wait': right(
      'wait(asi); setTimeout(() => asi.success(), 5);',
    ),
    'a callback that may be called at once': right(
      'list.forEach(() => asi.add(load)); read(() => asi.success());',
    ),
    'listeners that the body calls itself': right(
      `own.once('x', () => asi.success()); own.emit('x');`,
    ),
    'state, signal and valid are there at any time': right(
      'setTimeout(() => log(asi.state.user, asi.signal, asi.valid()), 5);',
    ),
    'a function that is made of it': right('const end = _.once(() => asi.success()); read(end);'),
    'a callback of another module of that name': `
      import fs from './fs.js';
      step((asi) => { fs.each(path, (text) => asi.add(text)); });`,
    'a timer of the program':
      'import { setTimeout } from "./own.js"; step((asi) => { setTimeout(() => asi.success()); });',
    'a cancel handler stops what was begun': right(
      'const timer = setTimeout(tell, 5); asi.setCancel((own) => { own.state.x = 1; clearTimeout(timer); });',
    ),
    'a function that is a cancel handler, too': right(
      `const end = () => asi.success(); asi.setCancel(end); socket.once('data', end);`,
    ),
    'where a function is used is unknown':
      'export function load(asi) { setTimeout(() => asi.success(), 5); }',
  },
  wrong: {
    'a timer': { code: right('setTimeout(() => asi.success(), 5);'), says: ['late'] },
    'a timer whose handle is returned': {
      code: 'step((asi) => setTimeout(() => asi.success(), 5));',
      says: ['late'],
    },
    'other timers': {
      code: right(`
        queueMicrotask(() => asi.success());
        process.nextTick(() => asi.error('E'));
        setImmediate(() => asi.add(load));`),
      says: ['late', 'late', 'late'],
    },
    'a listener': {
      code: right(`
        socket.once('data', (data) => asi.success(data));
        socket.on('error', () => asi.error('E'));
        page.addEventListener('load', () => asi.add(load));`),
      says: ['late', 'late', 'late'],
    },
    'a callback of Node': {
      code: `
        import { exec } from 'node:child_process';
        import fs from 'fs';
        import * as dns from 'node:dns';
        step((asi) => { fs.readFile(path, (error, text) => asi.success(text)); });
        step((asi) => { dns.lookup(host, (error, found) => asi.success(found)); });
        step((asi) => { exec(command, (error) => { if (error) asi.error('E'); }); });`,
      says: ['late', 'late', 'late'],
    },
    'a promise that is not returned': {
      code: right(
        'ask().then((text) => asi.success(text), (error) => asi.error(error.code)).finally(() => asi.success());',
      ),
      says: ['late', 'late', 'late'],
    },
    'a promise behind `void`': {
      code: 'step((asi) => void ask().then((text) => asi.success(text)));',
      says: ['late'],
    },
    'beside steps, a value or success': {
      code: `
        step((asi) => { asi.add(load); setTimeout(() => asi.success(), 5); });
        step((asi) => { setTimeout(() => asi.success(), 5); return 'text'; });
        step((asi) => { setTimeout(() => asi.success(), 5); return x ? asi.success(1) : asi.add(load); });`,
      says: ['late', 'late', 'late'],
    },
    'an error handler': {
      code: 'step(load).onError((asi) => { setTimeout(() => asi.success(), 5); });',
      says: ['late'],
    },
    'a cancel handler that ends its step': {
      code: right('asi.setCancel(() => asi.success()); ask(asi);'),
      says: ['cancel'],
    },
    'a cancel handler that adds steps': {
      code: right('asi.setCancel((own) => { own.add(close); }); ask(asi);'),
      says: ['cancel'],
    },
  },
});
