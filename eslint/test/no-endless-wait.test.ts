import { tested } from './testing.js';

const body = (line: string) => `step((asi) => { ${line} });`;

tested('no-endless-wait', {
  right: {
    'a completion': body('asi.setCancel(stop); ask(asi.waitExternal());'),
    'success, a value, an error': `
      step((asi) => { asi.setTimeout(5); asi.success(1); });
      step((asi) => { asi.setTimeout(5); return 5; });
      step((asi) => { asi.setCancel(stop); asi.error('E'); });`,
    'steps are limited': body('asi.setTimeout(5); asi.add(load);'),
    'it waits for what is returned': `
      step((asi) => { asi.setTimeout(5); return ask(); });
      step(async (asi) => { asi.setTimeout(5); if (x) return; await ask(); });`,
    'it does nothing but to wait for its own deadline': body('asi.setTimeout(5);'),
    'it does nothing but to wait, until something closes it': `
      step((asi) => { const timer = setTimeout(tell, 50); asi.setCancel(() => clearTimeout(timer)); });
      repeat(3, (asi) => { asi.setCancel(stop); });
      step((asi) => asi.defer((own) => { own.setCancel(stop); }));
      all((asi) => asi.setCancel(stop));
      run((asi) => { asi.setCancel(stop); ask(asi.signal, asi.state.user, asi.remaining()); });`,
    'it waits on a condition': body('if (x) asi.setCancel(stop);'),
    'it waits on one way, and ends on another': `
      step((asi) => { if (x) asi.setCancel(stop); else asi.add(load); });
      step((asi) => { if (x) { asi.setTimeout(5); return; } asi.success(1); });
      step((asi) => { if (x) asi.add(load); asi.setTimeout(5); });`,
    'it says that it waits': 'race(load, (asi) => { asi.setCancel(stop); asi.waitExternal(); });',
    'who gets the accessor may end it': body('asi.setCancel(stop); ask(asi);'),
    'a callback may end it': body('asi.setCancel(stop); read((text) => asi.success(text));'),
    'on conditions that may exclude each other': body(
      'asi.setTimeout(5); if (x) asi.success(1); if (!x) asi.add(load);',
    ),
    'another branch ends it': `
      race(load, (asi) => { asi.setCancel(stop); if (x) return; asi.add(more); });
      const wait = (asi) => { asi.setCancel(stop); if (x) return; asi.add(more); };
      race(load, wait);`,
    'its flow is cancelled': `
      const flow = new AsyncSteps();
      flow.add((asi) => asi.add((inner) => {
        inner.setCancel(stop);
        if (x) return;
        inner.add(load);
      })).execute();
      flow.cancel();`,
    'a throw': body('asi.setTimeout(5); if (x) throw new Error(); asi.add(load);'),
    'an error handler doesn’t wait': 'step(load).onError((asi) => { asi.setCancel(stop); });',
    'a return before it': body('if (x) return; asi.setTimeout(5); asi.add(load);'),
    'where a function is used is unknown': 'export function load(asi) { asi.setCancel(stop); }',
    'TypeScript: a helper of a body': `// ts
      import type { IAsyncSteps } from 'steptree';
      export function limit(asi: IAsyncSteps): void { asi.setCancel(() => {}); }`,
  },
  wrong: {
    'a way out before the steps': {
      code: body('asi.setTimeout(200); if (cached) return; asi.add(load);'),
      says: ['timeout'],
    },
    'a way out that says nothing': {
      code: body('asi.setCancel(stop); if (cached) return undefined; asi.add(load);'),
      says: ['cancel'],
    },
    'a way out of a round, of a deferred function, of a branch': {
      code: `
        repeat(3, (asi) => { asi.setCancel(stop); if (x) return; asi.success(); });
        step((asi) => asi.defer((own) => { own.setCancel(stop); if (x) return; own.add(load); }));
        all((asi) => { asi.setCancel(stop); if (x) return 5; });`,
      says: ['cancel', 'cancel', 'cancel'],
    },
    'another flow is cancelled': {
      code: `
        const [flow, other] = [new AsyncSteps(), new AsyncSteps()];
        const third = new AsyncSteps();
        third.add((asi) => { asi.setCancel(stop); if (x) return; asi.add(load); }).execute();
        other.cancel();`,
      says: ['cancel'],
    },
    'what it reads of the accessor doesn’t end it': {
      code: body(
        'asi.setCancel(stop); ask(asi.signal, asi.state.user); if (x) return; asi.add(load);',
      ),
      says: ['cancel'],
    },
  },
});
