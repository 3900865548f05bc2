import { tested } from './testing.js';

const body = (line: string) => `step((asi) => { ${line} });`;

tested('no-two-outcomes', {
  right: {
    'one of them': body('if (x) return asi.success(1); if (y) return 5; asi.add(load).add(save);'),
    'on different ways': body('if (x) asi.success(1); else asi.add(load);'),
    'on conditions that may exclude each other': body(
      'if (x) asi.success(1); if (!x) asi.add(load);',
    ),
    'an error ends the way': body('if (x) { asi.success(1); asi.error("E"); } asi.add(load);'),
    'an error without a throw counts alone': body(
      'asi.errorNoThrow("E"); asi.success(1); asi.add(load);',
    ),
    'a break counts alone': 'loop((asi) => { asi.success(1); asi.add(load); asi.breakLoop(); });',
    'a throw ends the way': body('if (x) { asi.success(1); throw new Error(); } asi.add(load);'),
    'a return beside success is dropped': body('asi.success(1); return 5;'),
    'what is returned may be nothing': body('asi.add(load); return found;'),
    'undefined, false and void are no values': `
      step((asi) => { asi.add(load); return undefined; });
      step((asi) => { asi.add(load); return false; });
      step((asi) => { asi.add(load); return void 0; });`,
    'a comparison may be false': body('asi.add(load); return x > 5;'),
    'a returned step runs, too': body('asi.add(load); return delay(5);'),
    'the value of a round, a handler or a deferred function is dropped': `
      forEach(list, (asi) => { asi.add(load); return 5; });
      step(load).onError((asi) => { asi.add(load); return 5; });
      step((asi) => asi.defer((own) => { own.add(close); return 5; }));`,
    'each step has its own': body(
      'asi.add((inner) => inner.success(1)); asi.add((inner) => inner.success(1));',
    ),
    'success once in a loop of the language': body(
      'for (const each of list) if (each.x) asi.success(each);',
    ),
    'an awaited completion beside success': body('asi.waitExternal(); asi.success(1);'),
    'a callback is another function': body('asi.add(load); read((text) => asi.success(text));'),
    'one in `try`, the other in `catch`': body(
      'try { asi.success(parse()); } catch { asi.add(load); }',
    ),
    'what cleans up and limits is no outcome': body(
      'asi.defer(close); asi.setTimeout(5); asi.setCancel(stop); return 5;',
    ),
  },
  wrong: {
    'success twice': { code: body('asi.success(1); asi.success(2);'), says: ['twice'] },
    'success, and further on on each way': {
      code: body('if (x) asi.success(1); asi.success(2);'),
      says: ['twice'],
    },
    'steps after success': { code: body('asi.success(1); asi.add(load);'), says: ['stepsAfter'] },
    'a forgotten return': {
      code: body('if (cached) asi.success(cached); asi.add(load).add(save);'),
      says: ['stepsAfter'],
    },
    'success after steps': {
      code: body('asi.add(load); asi.success(1);'),
      says: ['successAfter'],
    },
    'success on one of the ways after steps': {
      code: body('asi.forEach(list, save); if (x) asi.success(1);'),
      says: ['successAfter'],
    },
    'branches, and success': {
      code: body('const both = asi.parallel(); both.add(load); asi.success(1);'),
      says: ['successAfter'],
    },
    'a value after steps': {
      code: body('asi.add(load); return `text`;'),
      says: ['valueAfter'],
    },
    'each kind of value': {
      code: `
        step((asi) => { asi.add(load); return null; });
        step((asi) => { asi.add(load); return { id: 5 }; });
        step((asi) => { asi.add(load); return [x]; });
        step(async (asi) => { asi.add(load); return x + 1; });`,
      says: ['valueAfter', 'valueAfter', 'valueAfter', 'valueAfter'],
    },
    'a value of a section, a branch, an attempt, an item': {
      code: `
        sync(db, (asi) => { asi.add(load); return 5; });
        all((asi) => { asi.add(load); return 5; });
        retry({ max: 3 }, (asi) => { asi.add(load); return 5; });
        map(list, { limit: 3 }, (asi) => { asi.add(load); return 5; });`,
      says: ['valueAfter', 'valueAfter', 'valueAfter', 'valueAfter'],
    },
    'a value beside a completion': {
      code: body('const done = asi.waitExternal(); read(done); return 5;'),
      says: ['valueOutside'],
    },
    'a round, a handler, a deferred function': {
      code: `
        loop((asi) => { asi.success(1); asi.success(2); });
        step(load).onError((asi) => { asi.success(1); asi.add(save); });
        step((asi) => asi.defer((own) => { own.success(1); own.add(close); }));`,
      says: ['twice', 'stepsAfter', 'stepsAfter'],
    },
    'in `try` and `finally`': {
      code: body('try { asi.success(1); } finally { asi.add(load); }'),
      says: ['stepsAfter'],
    },
    'in an expression': { code: body('x && asi.success(1); asi.add(load);'), says: ['stepsAfter'] },
    'TypeScript: in a helper': {
      code: `// ts
        import type { IAsyncSteps } from 'steptree';
        export function load(asi: IAsyncSteps): void { asi.success(1); asi.success(2); }`,
      says: ['twice'],
    },
  },
});
