import { tested } from './testing.js';

tested('no-floating-steps', {
  right: {
    'it is added, returned or run': `
      export const both = step((asi) => { asi.add(delay(5)); return delay(5); });
      run(delay(5));
      await run(delay(5));`,
    'it has a name': 'const later = delay(5); later.timeout(5).named("x") && use(later);',
    'who gets it may run it': 'start(step(load)); list.push(delay(5)); export default delay(5);',
    'a plain function returns it': 'export const load = () => delay(5);',
    'void says that it is meant': 'void step(load);',
    'a function of that name of another module': `
      import { all } from 'steptree';
      import { delay } from 'node:timers/promises';
      delay(5); await delay(5); void all;`,
    'it is executed': `
      new AsyncSteps().add(load).execute();
      await new AsyncSteps().add(load).promise();
      const flow = new AsyncSteps(); flow.add(load); flow.parallel().add(load); flow.execute();
      const other = new AsyncSteps().add(load); other.add(load).loop(load).promise();`,
    'who gets it may execute it': `
      const flow = new AsyncSteps(); flow.add(load); start(flow);
      export const other = new AsyncSteps(); other.add(load);
      const third = new AsyncSteps(); third.add(load); export { third };
      const fill = () => { const own = new AsyncSteps(); return own.add(load); };
      const short = () => { const own = new AsyncSteps(); own.add(load); return own; }; fill(short());
      run((asi) => asi.await(asi.newInstance().add(load)));`,
    'a call that isn’t known may execute it':
      'const flow = new AsyncSteps(); flow.add(load); flow[how]();',
    'a flow that is given another value':
      'let flow = new AsyncSteps(); flow.add(load); flow = start(flow);',
    'an empty flow, of which something is asked':
      'const flow = new AsyncSteps(); log(flow.running(), flow.state);',
    'a body awaits a promise':
      'run(async (asi) => { await ask(asi); await asi.newInstance().promise(); });',
    'a parallel step gets its branches later': `
      const flow = new AsyncSteps(); const both = flow.parallel(); both.add(load); flow.execute();`,
  },
  wrong: {
    'a step that is dropped': { code: 'delay(5);', says: ['step'] },
    'in a body': { code: 'run((asi) => { delay(50); asi.add(load); });', says: ['step'] },
    'with a limit and a handler': {
      code: 'steps(load, save).timeout(5).onError(() => {});',
      says: ['step'],
    },
    'on a condition': {
      code: 'slow && delay(5); slow ? delay(5) : log();',
      says: ['step', 'step'],
    },
    'a step never changes': {
      code: 'const load = step(ask); load.timeout(5); run(load);',
      says: ['changed'],
    },
    'a step is awaited': {
      code: 'const load = step(ask); await load; await load.with(5);',
      says: ['awaited', 'awaited'],
    },
    'a flow is awaited': {
      code: 'const flow = new AsyncSteps(); await flow.add(load); flow.execute();',
      says: ['awaited'],
    },
    'a flow that nobody executes': {
      code: 'new AsyncSteps().add(load).add(save);',
      says: ['flow'],
    },
    'a new instance that nobody executes': {
      code: 'run((asi) => { asi.newInstance().parallel().add(load); });',
      says: ['flow'],
    },
    'a flow that has a name': {
      code: 'const flow = new AsyncSteps(); flow.add(load).add(save); flow.loop(load);',
      says: ['variable'],
    },
    'a flow that is filled, looked at and cancelled': {
      code: `
        function start() {
          const flow = new AsyncSteps().add(load);
          log(flow.running(), flow.state.user);
          flow.cancel();
        }
        start();`,
      says: ['variable'],
    },
    'a flow of which only branches were made': {
      code: 'const flow = new AsyncSteps(); const both = flow.parallel(); both.add(load).add(save);',
      says: ['variable'],
    },
  },
});
