import { tested } from './testing.js';

const body = (line: string) => `step((asi) => { ${line} });`;

tested('no-eager-await', {
  right: {
    'nothing stands before it': body(`asi.await(fetch('/')).add(save);`),
    'a body begins it': body(`asi.add(load).add(() => fetch('/'));`),
    'it was begun before, and is meant to': body(
      `const page = fetch('/'); asi.add(load).await(page);`,
    ),
    'what a call gives is unknown': body('asi.add(load).await(build(asi));'),
    'a flow that is idle begins when the step opens': body(
      'asi.add(load).await(asi.newInstance().add(save));',
    ),
    'the end of something else': body('asi.add(load).await(flow.closed());'),
    'a promise that waits for an event': body(
      'asi.add(load).await(new Promise((done) => socket.once("x", done)));',
    ),
    'what has settled': body(
      'asi.add(load).await(Promise.resolve(5)).await(Promise.all([one, two]));',
    ),
    'branches begin together': body(`asi.parallel().add(load).await(fetch('/'));`),
    'on different ways': body(`if (x) asi.add(load); else asi.await(fetch('/'));`),
    'of another step': body(
      `asi.add((inner) => inner.add(load)); asi.add((inner) => inner.await(fetch('/')));`,
    ),
    'a function of that name of the program': `import { fetch } from './own.js'; ${body('asi.add(load).await(fetch());')}`,
  },
  wrong: {
    'behind a step of the chain': {
      code: body(`asi.add(load).await(fetch('/'));`),
      says: ['eager'],
      offers: [['later', body(`asi.add(load).add(() => fetch('/'));`)]],
    },
    'behind a step that was added before': {
      code: body(`asi.add(load); if (x) asi.await(fetch('/'), handler);`),
      says: ['eager'],
      offers: [['later', body(`asi.add(load); if (x) asi.add(() => fetch('/'), handler);`)]],
    },
    'behind a step that may have been added': {
      code: body(`if (x) asi.add(load); asi.await(fetch('/'));`),
      says: ['eager'],
      offers: [['later', body(`if (x) asi.add(load); asi.add(() => fetch('/'));`)]],
    },
    'of a flow': {
      code: `const flow = new AsyncSteps(); flow.add(load); flow.await(run(save)); flow.execute();`,
      says: ['eager'],
      offers: [
        [
          'later',
          `const flow = new AsyncSteps(); flow.add(load); flow.add(() => run(save)); flow.execute();`,
        ],
      ],
    },
    'branches behind a step': {
      code: body(`asi.add(load).parallel().await(fetch('/'));`),
      says: ['eager'],
      offers: [['later', body(`asi.add(load).parallel().add(() => fetch('/'));`)]],
    },
    'a promise of a flow': {
      code: body('asi.add(load).await(asi.newInstance().add(save).promise());'),
      says: ['eager'],
      offers: [['later', body('asi.add(load).add(() => asi.newInstance().add(save).promise());')]],
    },
    'an async function of the file': {
      code: `async function ask() {} ${body('asi.add(load).await(ask().catch(log));')}`,
      says: ['eager'],
      offers: [
        ['later', `async function ask() {} ${body('asi.add(load).add(() => ask().catch(log));')}`],
      ],
    },
    'an async function that is called there': {
      code: body('asi.add(load).await((async () => {})());'),
      says: ['eager'],
      offers: [['later', body('asi.add(load).add(() => (async () => {})());')]],
    },
    'of modules of Node': {
      code: `import { setTimeout as sleep } from 'node:timers/promises'; ${body('asi.add(load).await(sleep(5));')}`,
      says: ['eager'],
      offers: [
        [
          'later',
          `import { setTimeout as sleep } from 'node:timers/promises'; ${body('asi.add(load).add(() => sleep(5));')}`,
        ],
      ],
    },
    'of several': {
      code: body(`asi.add(load).await(Promise.all([one, fetch('/')]));`),
      says: ['eager'],
      offers: [['later', body(`asi.add(load).add(() => Promise.all([one, fetch('/')]));`)]],
    },
    'no other function can do it': {
      code: 'step(async (asi) => { asi.add(load).await(fetch(await url())); });',
      says: ['eager'],
    },
  },
});
