import { expect } from 'chai';
import { Linter } from 'eslint';
import * as steptree from 'steptree';
import plugin from '../src/index.js';

interface Told {
  /** How the flow has ended; null if it hangs. */
  readonly outcome: steptree.IOutcome | null;
  readonly reports: readonly string[];
  readonly log: readonly string[];
  /** When, in ms. */
  readonly time: number;
}

/** A body, which is run in virtual time; it may `log`. */
async function told(body: string): Promise<Told> {
  const tool = new steptree.VirtualTool();
  const names = Object.keys(steptree);
  const log: string[] = [];
  const reports: string[] = [];
  const made = new Function('log', 'later', ...names, `return (${body});`);
  const later = (what: () => void) => tool.deferred(1, () => caught(what));
  const caught = (what: () => void) => {
    try {
      what();
    } catch (error) {
      log.push(String(error));
    }
  };
  const run = made((text: string) => log.push(text), later, ...Object.values(steptree));
  const report = (code: string, info: string) => void reports.push(`${code}: ${info}`);
  const flow = new steptree.AsyncSteps({ tool, report }).add(run);
  let outcome: steptree.IOutcome | null = null;
  flow.execute((end) => {
    outcome = end;
  });
  await tool.run();
  if (flow.running()) flow.cancel();
  return { outcome, reports, log, time: tool.now() };
}

/** The rules that say something of it; what they know as `setTimeout` is `later` when it's run. */
function findings(body: string): string[] {
  const names = Object.keys(steptree).filter((name) => body.includes(name));
  const known = body.replaceAll('later(', 'setTimeout(');
  const program = `import { ${names.join(', ')} } from 'steptree';\nsteptreeRun(step(${known}));`;
  const text = names.includes('step') ? program : program.replace('{ ', '{ step, ');
  const messages = new Linter().verify(text, [plugin.configs.recommended]);
  return messages.map(({ ruleId, message }) => ruleId?.replace('steptree/', '') ?? message);
}

const mistakes: Readonly<Record<string, readonly string[]>> = {
  'no-outer-accessor': [
    '(asi) => { asi.add((inner) => asi.success(1)); }',
    '(asi) => { asi.add((inner) => asi.add(() => {})); }',
    '(asi) => { asi.loop((round) => asi.breakLoop()); }',
    '(asi) => { asi.add((inner) => asi.remaining()); }',
    `(asi) => { asi.add((own) => own.error('E'), (inner, code) => asi.success(1)); }`,
    '(asi) => { asi.defer((cleanup) => asi.add(() => {})); }',
    '(asi) => step((inner) => asi.success(1))',
    '(asi) => { const both = asi.parallel(); both.add((branch) => asi.success(1)); }',
  ],
  'no-async-handler': [
    `(asi) => { asi.add((own) => own.error('E'), async () => {}); }`,
    `(asi) => { asi.add((own) => own.error('E'), async (own) => { await null; own.success(1); }); }`,
    `(asi) => { asi.add((own) => own.error('E'), () => Promise.resolve(1)); }`,
    '(asi) => map([1], { limit: 1, sink: async () => {} }, (inner, value) => value)',
  ],
  'no-generator-body': ['function* () {}', '(asi) => { asi.add(async function* () {}); }'],
  'no-two-outcomes': [
    '(asi) => { asi.success(1); asi.success(2); }',
    '(asi) => { asi.success(1); asi.add(() => {}); }',
    '(asi) => { asi.add(() => {}); asi.success(1); }',
    '(asi) => { asi.add(() => {}); return 5; }',
    '(asi) => { asi.add(() => {}); return null; }',
    '(asi) => { asi.waitExternal(); return 5; }',
    'async (asi) => { asi.add(() => {}); return 5; }',
    '(asi) => asi.repeat(1, (round) => { round.success(1); round.success(2); })',
    `(asi) => asi.add((own) => own.error('E'), (own) => { own.success(1); own.add(() => {}); })`,
  ],
};

describe('what the rules say is what happens', () => {
  for (const [rule, bodies] of Object.entries(mistakes))
    for (const body of bodies)
      it(`${rule}: ${body}`, async () => {
        expect(findings(body)).to.deep.equal([rule]);
        const { outcome } = await told(body);
        expect(outcome?.code).to.equal('InternalError');
      });

  it('no-late-accessor: a callback throws', async () => {
    const body = '(asi) => { later(() => asi.success(1)); }';
    expect(findings(body)).to.deep.equal(['no-late-accessor']);
    const { outcome, log } = await told(body);
    expect(outcome?.kind).to.equal('ok');
    expect(log.join()).to.include('InternalError');
  });

  it('no-late-accessor: a cancel handler is reported', async () => {
    const body = `(asi) => { asi.setCancel(() => asi.success(1)); asi.waitExternal(); asi.error('E'); }`;
    expect(findings(body)).to.deep.equal(['no-late-accessor']);
    const { reports } = await told(body);
    expect(reports.join()).to.include('InternalError');
  });

  it('no-kept-accessor: a later call throws', async () => {
    const body = `(asi) => {
      let kept;
      asi.add((inner) => { kept = inner; });
      asi.add(delay(1)).add(() => { kept.success(1); });
    }`;
    expect(findings(body)).to.deep.equal(['no-kept-accessor']);
    expect((await told(body)).outcome?.code).to.equal('InternalError');
  });

  it('no-floating-steps: nothing runs', async () => {
    const body = `(asi) => { step(() => log('run')); new AsyncSteps().add(() => log('run')); }`;
    expect(findings(body)).to.deep.equal(['no-floating-steps', 'no-floating-steps']);
    expect((await told(body)).log).to.deep.equal([]);
  });

  it('no-dropped-fallback: the error goes on', async () => {
    const body = `(asi) => { asi.add((own) => own.error('E'), () => 'none'); }`;
    expect(findings(body)).to.deep.equal(['no-dropped-fallback']);
    expect((await told(body)).outcome?.code).to.equal('E');
  });

  it('no-generator-body: nothing of a handler or a round is run', async () => {
    const handler = `(asi) => { asi.add((own) => own.error('E'), function* () { log('run'); }); }`;
    const round = `(asi) => asi.repeat(1, function* () { log('run'); })`;
    for (const body of [handler, round]) {
      expect(findings(body)).to.deep.equal(['no-generator-body']);
      expect((await told(body)).log).to.deep.equal([]);
    }
  });

  it('no-eager-await: it begins before', async () => {
    const body = `(asi) => { asi.add(() => log('first')).await((async () => log('awaited'))()); }`;
    expect(findings(body)).to.deep.equal(['no-eager-await']);
    expect((await told(body)).log).to.deep.equal(['awaited', 'first']);
  });

  it('no-endless-wait: it hangs, or fails with Timeout', async () => {
    const hangs = '(asi) => { asi.setCancel(() => {}); if (log) return; asi.add(() => {}); }';
    const fails = '(asi) => { asi.setTimeout(5); if (log) return; asi.add(() => {}); }';
    for (const body of [hangs, fails]) expect(findings(body)).to.deep.equal(['no-endless-wait']);
    expect((await told(hangs)).outcome).to.equal(null);
    expect((await told(fails)).outcome?.code).to.equal('Timeout');
  });

  it('no-busy-loop: no time passes between two looks', async () => {
    for (const round of [
      '(round) => { if (round.state.more) log(); }',
      'async (round) => { if (round.state.more) log(); }',
      '(round) => { round.add((own) => { if (own.state.more) log(); }); }',
      '(round) => { round.relinquish(); if (!round.state.more) return; log(); }',
    ]) {
      const body = `(asi) => {
        let looks = 0;
        const state = asi.state;
        Object.defineProperty(state, 'more', { get() {
          if (++looks > 100) throw new Error('looked');
          return false;
        } });
        asi.loop(${round});
      }`;
      expect(findings(body), round).to.deep.equal(['no-busy-loop']);
      const { outcome, time } = await told(body);
      expect(outcome?.error).to.have.property('message', 'looked');
      expect(time, round).to.equal(0);
    }
  });
});
