import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedCase } from '../case.js';
import { againstKnown, loadKnown } from '../known.js';

const aCase = (name: string): LoadedCase => ({
  chapter: 'model',
  file: 'conformance/cases/model.yaml',
  line: 1,
  program: { case: name, rules: ['model-1'], flows: { main: [] }, trace: [] },
});
const [one, two, three] = [aCase('one'), aCase('two'), aCase('three')];
const known = (name: string) => ({ case: name, implementation: 'js', reason: 'slow clock' });

describe('known failures', () => {
  it('may fail, and may not pass', () => {
    const outcome = {
      implementation: 'js',
      passed: [one],
      failed: [
        { found: two, trace: [] },
        { found: three, trace: [] },
      ],
      unfit: [],
    };
    const { failed, passedThough } = againstKnown(outcome, [known('one'), known('two')]);
    expect(failed.map(({ found }) => found)).to.deep.equal([three]);
    expect(passedThough).to.deep.equal([one]);
  });

  it('hold for the implementation that they name only', () => {
    const outcome = {
      implementation: 'cpp',
      passed: [one],
      failed: [{ found: two, trace: [] }],
      unfit: [],
    };
    const { failed, passedThough } = againstKnown(outcome, [known('one'), known('two')]);
    expect(failed).to.have.length(1);
    expect(passedThough).to.have.length(0);
  });

  it('need a case that exists, and a reason', () => {
    const folder = mkdtempSync(join(tmpdir(), 'steptree-known-'));
    try {
      const path = join(folder, 'known-failures.yaml');
      writeFileSync(
        path,
        '- {case: four, implementation: js, reason: x}\n- {case: one, implementation: js}\n',
      );
      expect(loadKnown(path, [one]).problems).to.deep.equal([
        'known-failures.yaml: there is no case "four"',
        'known-failures.yaml: {"case":"one","implementation":"js"} lacks reason',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
