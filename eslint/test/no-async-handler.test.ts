import { tested } from './testing.js';

tested('no-async-handler', {
  right: {
    'a handler decides at once': `
      step(load).onError((asi, code) => code === 'E' && asi.success(1));
      run((asi) => asi.add(load, (own) => own.add(async () => ask())));`,
    'a body may be async': 'step(async (asi) => ask()); run((asi) => asi.add(async () => ask()));',
    'a handler returns a step': 'step(load).onError(() => delay(5));',
    'a handler that has decided':
      'step(load).onError((asi) => { asi.success(1); return ask().catch(log); });',
    'an async handler that decides before it awaits': `
      step(load).onError(async (asi) => { asi.success(1); });
      step(load).onError(async (asi, code) => { if (code === 'E') asi.add(save); await log(code); });
      step(load).onError(async (asi) => { mend(asi); });`,
    'what an unknown call returns': 'step(load).onError(() => ask());',
    'a cancel handler, and what is deferred': `
      run((asi) => { asi.setCancel(async () => stop()); asi.defer(async () => close()); });`,
    'a sink stores': 'map(list, { limit: 3, sink: (each) => void save(each) }, load);',
    'an async function of something else':
      'other.onError(async () => {}); list.map({ sink: async () => {} });',
  },
  wrong: {
    'an async handler of a step': {
      code: 'step(load).onError(async (asi) => { await ask(); asi.success(1); });',
      says: ['handler'],
    },
    'an async handler that only looks at its accessor before it awaits': {
      code: `
        step(load).onError(async (asi) => { const { user } = asi.state; await save(user); asi.success(); });
        step(load).onError(async (asi) => { for await (const each of ask()) asi.add(each); });
        step(load).onError(async (asi) => { other(async () => { await ask(); }); await ask(); asi.add(save); });`,
      says: ['handler', 'handler', 'handler'],
    },
    'an async handler of an added step': {
      code: 'run((asi) => asi.add(load, async () => {}).sync(db, save, async () => {}).await(x, async () => {}));',
      says: ['handler', 'handler', 'handler'],
    },
    'an async handler of a parallel step, by its name': {
      code: 'const again = async () => {}; new AsyncSteps().parallel(again);',
      says: ['handler'],
    },
    'a handler that returns a promise': {
      code: `
        async function ask() {}
        step(load).onError(() => fetch('/'));
        step(load).onError((asi, code) => code === 'E' ? Promise.resolve(1) : undefined);
        step(load).onError(() => new Promise(() => {}));
        step(load).onError(() => { return ask().then(log); });
        step(load).onError((asi) => { log(asi.state.user); return fetch('/'); });
        step(load).onError(() => run(save));`,
      says: ['handler', 'handler', 'handler', 'handler', 'handler', 'handler'],
    },
    'an async sink': {
      code: 'map(list, { limit: 3, sink: async (each) => { await save(each); } }, load);',
      says: ['sink'],
    },
    'a sink that returns a promise, by its name': {
      code: 'const sink = (each) => fetch(each); map(list, { limit: 3, sink }, load);',
      says: ['sink'],
    },
  },
});
