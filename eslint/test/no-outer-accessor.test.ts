import { tested } from './testing.js';

tested('no-outer-accessor', {
  right: {
    'it asks before': 'step((asi) => { asi.add(() => { if (asi.valid()) asi.success(1); }); });',
    'each body calls its own': 'step((asi) => asi.add((inner) => inner.success(1)));',
    'the inner one has the same name': 'step((asi) => asi.add((asi) => asi.success(1)));',
    'a plain callback of the outer body completes it': `
      step((asi) => {
        asi.setCancel(() => {});
        read((error, text) => (error ? asi.error('E') : asi.success(text)));
        list.forEach((each) => asi.add(each));
      });`,
    'state, signal and valid are there at any time': `
      step((asi) => {
        asi.add(() => fetch('/', { signal: asi.signal }));
        asi.add(() => void (asi.state.user = asi.valid()));
      });`,
    'a flow of its own runs while the outer step waits': `
      step((asi) => {
        asi.setCancel(() => {});
        run(step(() => asi.success(1)));
        run(() => asi.success(1));
        asi.newInstance().add(() => asi.success(1)).execute();
        new AsyncSteps().add(() => asi.success(1)).execute();
        new Scope().start(() => asi.success(1));
        const apart = step(() => asi.success(1));
        run(apart);
      });`,
    'where a step value goes is unknown': `
      step((asi) => {
        start(step(() => asi.success(1)));
        const both = step(() => asi.success(1));
        asi.add(both);
        run(both);
      });`,
    'what is passed on may be used as state is': 'step((asi) => asi.add(() => user.get(asi)));',
    'a function of the file that asks first': `
      function end(asi) { if (asi.valid()) asi.success(1); }
      function name(asi) { return asi.state.name; }
      function later(asi) { return () => asi.success(1); }
      step((asi) => asi.add(() => { end(asi); name(asi); later(asi); }));`,
    'add of something else is no call of steptree':
      'step((asi) => set.add(() => asi.success(1)), other.add((a) => a.add(() => a.success())));',
    'names of another module': `
      import { step } from 'elsewhere'; // not 'steptree'
      step((asi) => asi.add(() => asi.success(1)));`,
    'the function isn’t a body by its other parameters':
      'step((asi, user) => asi.add(() => user.success(1)));',
    'a cancel handler is for another rule': 'step((asi) => asi.setCancel(() => asi.success()));',
  },
  wrong: {
    'an inner body has one of its own': {
      code: 'step((asi) => asi.add((inner) => asi.success(1)));',
      says: ['outer'],
      fixed: 'step((asi) => asi.add((inner) => inner.success(1)));',
    },
    'an inner body has none': {
      code: 'step((asi) => { asi.add(() => asi.success(1)); });',
      says: ['none'],
      fixed: 'step((asi) => { asi.add((asi) => asi.success(1)); });',
    },
    'an inner body adds to the outer one': {
      code: 'step((asi) => asi.add(async function () { asi.add(load); asi.parallel().add(load); }));',
      says: ['none', 'none'],
      fixed:
        'step((asi) => asi.add(async function (asi) { asi.add(load); asi.parallel().add(load); }));',
    },
    'a round of a loop breaks': {
      code: 'step((asi) => asi.loop((round) => asi.breakLoop()));',
      says: ['outer'],
      fixed: 'step((asi) => asi.loop((round) => round.breakLoop()));',
    },
    'a deadline of the inner step would make it wait: an editor offers it': {
      code: 'step((asi) => asi.add((inner) => { asi.setTimeout(5); inner.success(); }));',
      says: ['outer'],
      offers: [
        ['rename', 'step((asi) => asi.add((inner) => { inner.setTimeout(5); inner.success(); }));'],
      ],
    },
    'a callback of the inner body': {
      code: `step((asi) => asi.add((inner) => {
        inner.setCancel(() => {});
        read(() => asi.success());
      }));`,
      says: ['outer'],
      offers: [
        [
          'rename',
          `step((asi) => asi.add((inner) => {
        inner.setCancel(() => {});
        read(() => inner.success());
      }));`,
        ],
      ],
    },
    'the name of the own one is taken': {
      code: 'step((asi) => asi.add((inner) => { { const inner = 1; asi.success(inner); } }));',
      says: ['outer'],
    },
    'its own parameter isn’t called only': {
      code: 'step((asi) => asi.add(() => asi.success(asi.state.user)));',
      says: ['none'],
    },
    'the error handler of an inner step': {
      code: 'step((asi) => asi.add(load, (inner, code) => asi.success(code)));',
      says: ['outer'],
      fixed: 'step((asi) => asi.add(load, (inner, code) => inner.success(code)));',
    },
    'the handler of a value that is added': {
      code: 'step((asi) => asi.add(load).add(step(load).onError((inner) => asi.success())));',
      says: ['outer'],
      fixed: 'step((asi) => asi.add(load).add(step(load).onError((inner) => inner.success())));',
    },
    'a deferred function': {
      code: 'step((asi) => asi.defer((cleanup) => asi.add(close)));',
      says: ['outer'],
      fixed: 'step((asi) => asi.defer((cleanup) => cleanup.add(close)));',
    },
    'a value that is added, however it was made': {
      code: `step((asi) => {
        asi.add(steps(delay(5), retry({ max: 3 }, (inner) => asi.success())).timeout(5));
      });`,
      says: ['outer'],
      fixed: `step((asi) => {
        asi.add(steps(delay(5), retry({ max: 3 }, (inner) => inner.success())).timeout(5));
      });`,
    },
    'a value that has a name and is added': {
      code: 'step((asi) => { const one = step((inner) => asi.success()); asi.add(one); });',
      says: ['outer'],
      fixed: 'step((asi) => { const one = step((inner) => inner.success()); asi.add(one); });',
    },
    'a value that is returned': {
      code: 'step((asi) => steps(load, (inner) => asi.error("E")));',
      says: ['outer'],
      fixed: 'step((asi) => steps(load, (inner) => inner.error("E")));',
    },
    'a branch': {
      code: 'step((asi) => { const both = asi.parallel(); both.add((branch) => asi.success()); });',
      says: ['outer'],
      fixed:
        'step((asi) => { const both = asi.parallel(); both.add((branch) => branch.success()); });',
    },
    'a section, of all that a chain adds': {
      code: 'step((asi) => asi.add(load).sync(db, (section) => asi.add(save)));',
      says: ['outer'],
      fixed: 'step((asi) => asi.add(load).sync(db, (section) => section.add(save)));',
    },
    'inside of a body of a flow of its own': {
      code: 'step((asi) => run((own) => own.add((inner) => own.success())));',
      says: ['outer'],
      fixed: 'step((asi) => run((own) => own.add((inner) => inner.success())));',
    },
    'a body by its name': {
      code: 'function load(asi) { asi.add((inner) => asi.success()); } run(load);',
      says: ['outer'],
      fixed: 'function load(asi) { asi.add((inner) => inner.success()); } run(load);',
    },
    'a body that adds itself': {
      code: `const count = step((asi, n) => asi.add(count.with(n - 1)).add((inner) => asi.success()));`,
      says: ['outer'],
      fixed: `const count = step((asi, n) => asi.add(count.with(n - 1)).add((inner) => inner.success()));`,
    },
    'a function of the file calls it': {
      code: `
        function load(asi, id) { asi.add(() => ask(id)); }
        step((asi) => asi.add((inner) => load(asi, 5)));`,
      says: ['outer'],
      offers: [
        [
          'rename',
          `
        function load(asi, id) { asi.add(() => ask(id)); }
        step((asi) => asi.add((inner) => load(inner, 5)));`,
        ],
      ],
    },
    'imported by another name': {
      code: `import { step as s } from 'steptree'; s((asi) => asi.add((inner) => asi.success()));`,
      says: ['outer'],
      fixed: `import { step as s } from 'steptree'; s((asi) => asi.add((inner) => inner.success()));`,
    },
    'imported as a whole': {
      code: `import * as st from 'steptree'; st.step((asi) => asi.add((inner) => asi.success()));`,
      says: ['outer'],
      fixed: `import * as st from 'steptree'; st.step((asi) => asi.add((inner) => inner.success()));`,
    },
    required: {
      code: `const { step: s } = require('steptree'); s((asi) => asi.add((inner) => asi.success()));`,
      says: ['outer'],
      fixed: `const { step: s } = require('steptree'); s((asi) => asi.add((inner) => inner.success()));`,
    },
    'required as a whole': {
      code: `const st = require('steptree'); new st.AsyncSteps().add((asi) => asi.add((inner) => asi.success()));`,
      says: ['outer'],
      fixed: `const st = require('steptree'); new st.AsyncSteps().add((asi) => asi.add((inner) => inner.success()));`,
    },
    'imported when it is needed': {
      code: `const { run } = await import('steptree'); run((asi) => asi.add((inner) => asi.success()));`,
      says: ['outer'],
      fixed: `const { run } = await import('steptree'); run((asi) => asi.add((inner) => inner.success()));`,
    },
    'in what a tool or a scope has started': {
      code: `
        import { defaultTool, Scope } from 'steptree';
        defaultTool.start((own) => own.add((inner) => own.success()));
        new Scope().run((own) => own.add((inner) => own.success()));`,
      says: ['outer', 'outer'],
      fixed: `
        import { defaultTool, Scope } from 'steptree';
        defaultTool.start((own) => own.add((inner) => inner.success()));
        new Scope().run((own) => own.add((inner) => inner.success()));`,
    },
    'TypeScript: of what parameters of other types are given': {
      code: `// ts
        import { type AsyncSteps, type IAdder, type Scope } from 'steptree';
        export function fill(flow: AsyncSteps, scope: Scope, adder: IAdder) {
          flow.add((own) => own.add((inner) => own.success()));
          scope.start((own) => own.add((inner) => own.success()));
          adder.add((own) => own.add((inner) => own.success()));
        }`,
      says: ['outer', 'outer', 'outer'],
      fixed: `// ts
        import { type AsyncSteps, type IAdder, type Scope } from 'steptree';
        export function fill(flow: AsyncSteps, scope: Scope, adder: IAdder) {
          flow.add((own) => own.add((inner) => inner.success()));
          scope.start((own) => own.add((inner) => inner.success()));
          adder.add((own) => own.add((inner) => inner.success()));
        }`,
    },
    'TypeScript: the type of a parameter': {
      code: `// ts
        import type { IAsyncSteps } from 'steptree';
        export function load(this: void, asi: IAsyncSteps<any>, id: string) {
          asi.add((inner: IAsyncSteps) => asi.success(id) as any);
        }`,
      says: ['outer'],
      fixed: `// ts
        import type { IAsyncSteps } from 'steptree';
        export function load(this: void, asi: IAsyncSteps<any>, id: string) {
          asi.add((inner: IAsyncSteps) => inner.success(id) as any);
        }`,
    },
    'TypeScript: what says only of which type it is': {
      code: `// ts
        import st = require('steptree');
        (new st.AsyncSteps() as st.IFlow).add(((asi) => asi!.add((inner) => asi?.success())) as st.Body);`,
      says: ['outer'],
      fixed: `// ts
        import st = require('steptree');
        (new st.AsyncSteps() as st.IFlow).add(((asi) => asi!.add((inner) => inner?.success())) as st.Body);`,
    },
  },
});
