import { tested } from './testing.js';

tested('no-busy-loop', {
  right: {
    'it waits': `
      loop((asi) => asi.add(ask).add(delay(5)));
      loop((asi) => { asi.add(delay(5)); });
      loop(async () => { await ask(); });
      loop((asi) => { const done = asi.waitExternal(); read(done); });
      loop(() => ask());
      loop(() => { return ask(); });`,
    'it ends': `
      loop((asi) => { if (x) asi.breakLoop(); });
      loop((asi) => { asi.add((inner) => { if (x) inner.break(); }); });
      loop((asi) => { if (x) asi.errorNoThrow('E'); });
      loop(() => { if (x) throw new Error(); });`,
    'who gets the accessor may wait': 'loop((asi) => { ask(asi); }); loop((asi) => asi.add(ask));',
    'it has a deadline': `
      loop(() => {}).timeout(5);
      steps(loop(() => {}), save).timeout(5);
      step((asi) => { asi.setTimeout(5); asi.loop(() => {}); });`,
    'another branch ends it': 'race(delay(5), loop(() => {})); any(load, loop(() => {}));',
    'it is cancelled':
      'const flow = new AsyncSteps(); flow.loop(() => {}); flow.execute(); flow.cancel();',
    'other loops end': 'repeat(3, () => {}); forEach(list, () => {});',
    'a loop of something else': 'other.loop(() => {});',
    'what is called is no function of the file': 'loop(poll);',
    'each round does something, which may end it': `
      loop(() => { queue.take(); });
      loop(() => handle(queue.shift()));
      loop((asi) => { asi.add(() => { log(n); }); });
      loop(() => { if (n > 5) handle(n); else n++; });
      loop(() => { n++; if (n > 10) throw new Error(); });
      loop(() => { new Round(); });
      loop(() => { log\`round\`; });
      loop(() => { delete all[n]; });
      loop(() => { for (const each of list) each(); });`,
    'what it looks at may change by that': 'loop(() => { if (clock.now() > end) stop(); });',
    'two conditions, one of which may always be true': `
      loop(() => { if (x) one(); if (!x) other(); });
      loop((asi) => { if (x) one(); asi.add(() => { if (!x) other(); }); });
      loop(() => { if (x) one(); if (x) return; other(); });`,
    'what it adds is no function of the file': 'loop((asi) => { asi.add(poll); if (x) work(); });',
    'it adds with a handler': 'loop((asi) => { asi.add(() => {}, log); });',
  },
  wrong: {
    'its rounds are empty': {
      code: 'loop(() => {}); step((asi) => asi.loop((round) => { round.add(() => {}); }));',
      says: ['busy', 'busy'],
    },
    'it looks again and again': {
      code: 'step((asi) => asi.loop(() => { if (queue.length > 0) handle(queue.shift()); }));',
      says: ['busy'],
    },
    'it leaves the round where nothing is to do': {
      code: `
        loop(() => { if (queue.length === 0) return; handle(queue.shift()); });
        loop(() => { const [job] = queue; if (!job) { ; return; } handle(queue.shift()); });
        loop(() => { if (x) { handle(x); return; } });`,
      says: ['busy', 'busy', 'busy'],
    },
    'each of several conditions may be false': {
      code: 'loop(() => { if (x) one(); else if (y) other(); else { if (z) third(); } });',
      says: ['busy'],
    },
    'it waits only if there is something to do': {
      code: `
        loop(() => { if (x) return ask(); });
        loop(async () => { if (queue.length > 0) await handle(queue.shift()); });`,
      says: ['busy', 'busy'],
    },
    'its steps look again and again': {
      code: `
        step((asi) => asi.loop((round) => { round.add((inner) => { if (inner.state.x) log(); }); }));
        step((asi) => asi.loop((round) => round.add(() => {}).add(() => { if (x) work(); })));`,
      says: ['busy', 'busy'],
    },
    'it lets others have their turns': {
      code: 'new AsyncSteps().loop((asi) => { asi.relinquish(); }).execute();',
      says: ['busy'],
    },
  },
});
