import { tested } from './testing.js';

tested('no-kept-accessor', {
  right: {
    'it is passed down': 'step((asi) => { load(asi, 5); const same = asi; use({ asi }); });',
    'a variable of the body':
      'step((asi) => { let own; own = asi; const all = {}; all.asi = asi; });',
    'a list of the body': 'step((asi) => { const own = []; own.push(asi); });',
    'a completion may be kept': 'let done; step((asi) => { done = asi.waitExternal(); });',
    'an object of a callback of the body':
      'step((asi) => { list.forEach((each) => { const own = {}; own.asi = asi; }); });',
    'what has it as its key, and forgets it':
      'const spans = new WeakMap(); step((asi) => { spans.set(asi, 5); });',
    'what it is pushed to is unknown': 'step((asi) => { stream.push(asi); });',
    'an own `this`': 'step((asi) => { class Own { constructor() { this.asi = asi; } } });',
    'the step waits': `
      let kept;
      step((asi) => { kept = asi; asi.waitExternal(); });
      step((asi) => { asi.setCancel(stop); kept = asi; });
      step(async (asi) => { kept = asi; await load(); });
      step((asi) => { kept = asi; return load(); });`,
    'who is called may use it': `
      class Own {
        start() { run((asi) => { this.asi = asi; this.load(); }); }
        load() { this.asi.add(save); }
      }
      let kept;
      step((asi) => { kept = asi; load(); asi.add(save); });
      step((asi) => { list.forEach(() => { kept = asi; }); });
      step((asi) => { kept = asi; new Load(); });
      step((asi) => { kept = asi; kept.success(1); });
      step((asi) => { kept = asi; asi.error('E'); }).onError(() => kept.success(1));`,
    'TypeScript: a helper': `// ts
      import type { IAsyncSteps } from 'steptree';
      let kept: IAsyncSteps | undefined;
      const load = (asi: IAsyncSteps) => { kept = asi; };`,
    'what the state has': 'step((asi) => { asi.state.user = asi.state.name; });',
  },
  wrong: {
    'a variable outside': {
      code: 'let kept; step((asi) => { kept = asi; asi.add(load).add(() => save()); });',
      says: ['kept'],
    },
    'a variable of an outer body': {
      code: 'step((asi) => { let kept; asi.add((inner) => { kept = inner; }); });',
      says: ['kept'],
    },
    'a property of an object outside': {
      code: 'const seen = {}; step((asi) => { seen.last.asi = asi; });',
      says: ['kept'],
    },
    'a property of an outer `this`': {
      code: 'class Own { start() { run((asi) => { this.asi = asi; }); } }',
      says: ['kept'],
    },
    'the state of the flow': {
      code: 'step((asi) => { asi.state.asi = asi; });',
      says: ['kept'],
    },
    'a list outside': {
      code: 'const seen = []; step((asi) => { seen.push(asi); });',
      says: ['kept'],
    },
    'TypeScript: with a type': {
      code: `// ts
        import { type IAsyncSteps, step } from 'steptree';
        let kept: IAsyncSteps | undefined;
        step((asi) => { kept = asi as IAsyncSteps; });`,
      says: ['kept'],
    },
  },
});
