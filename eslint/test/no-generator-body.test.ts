import { tested } from './testing.js';

tested('no-generator-body', {
  right: {
    'a body calls one': 'run((asi) => { for (const each of numbers()) asi.add(each); });',
    'it is what a loop goes through': `
      function* numbers() {}
      run(forEach(numbers, (asi, i, n) => log(n)));
      run(map(function* () {}, { limit: 2 }, (asi, n) => log(n)));
      run((asi) => asi.forEach(function* () {}, (round, i, n) => log(n)));`,
    'it is given to something else': 'other.add(function* () {});',
  },
  wrong: {
    'a body': { code: 'run(step(function* () {}));', says: ['generator'] },
    'an async generator, by its name': {
      code: 'async function* load() {} run((asi) => asi.add(load));',
      says: ['generator'],
    },
    'a handler, a round, a deferred function, a cancel handler': {
      code: `
        run(step(load).onError(function* () {}));
        run(repeat(3, function* () {}));
        run((asi) => { asi.defer(function* () {}); asi.setCancel(function* () {}); ask(asi); });`,
      says: ['generator', 'generator', 'generator', 'generator'],
    },
  },
});
