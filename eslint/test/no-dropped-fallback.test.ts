import { tested } from './testing.js';

tested('no-dropped-fallback', {
  right: {
    'it recovers by success': `
      run((asi) => asi.add(load, (own) => own.success('none')));
      run(step(load).onError((asi, code) => code === 'E' && asi.success(5)));`,
    'it adds or returns a step': `
      run(step(load).onError((asi) => asi.add(() => 'none')));
      run(step(load).onError(() => step(() => 'none')));`,
    'it says nothing': `
      run(step(load).onError((asi, code) => { log(code); }));
      run(step(load).onError(() => undefined));
      run(step(load).onError(() => false));`,
    'what it returns may be a step': 'run(step(load).onError(() => fallback));',
    'it has recovered before': `run(step(load).onError((asi) => { asi.success(5); return 'none'; }));`,
    'somebody recovers for it': `run(step(load).onError((asi) => { recover(asi); return 'none'; }));`,
    'a body returns its value': `run(step(() => 'none')); run((asi) => asi.add(() => 'none'));`,
    'a function that is a body, too': `
      const none = () => 'none';
      run((asi) => asi.add(none, none));`,
    'the `catch` of a promise': `run(load).catch(() => 'none');`,
    'an async handler is for another rule': `run(step(load).onError(async () => 'none'));`,
  },
  wrong: {
    'a value in the place of the failure': {
      code: `run((asi) => asi.add(load, () => 'none'));`,
      says: ['dropped'],
      offers: [['success', `run((asi) => asi.add(load, (asi) => asi.success('none')));`]],
    },
    'it has its accessor': {
      code: `run((asi) => asi.sync(db, load, (own, code) => [own.state.rows]));`,
      says: ['dropped'],
      offers: [
        [
          'success',
          `run((asi) => asi.sync(db, load, (own, code) => own.success([own.state.rows])));`,
        ],
      ],
    },
    'on one of its ways': {
      code: `run(step(load).onError((asi, code) => { if (code === 'E') return null; }));`,
      says: ['dropped'],
      offers: [
        [
          'success',
          `run(step(load).onError((asi, code) => { if (code === 'E') return asi.success(null); }));`,
        ],
      ],
    },
    'on one end of a condition': {
      code: `run(step(load).onError((asi, code) => code === 'E' && 'none'));`,
      says: ['dropped'],
      offers: [
        ['success', `run(step(load).onError((asi, code) => code === 'E' && asi.success('none')));`],
      ],
    },
  },
});
