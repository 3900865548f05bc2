import { expect } from 'chai';
import { measure, read } from '../program.js';
import { scenarios } from '../scenarios.js';
import { type Subject, subjects } from '../subjects.js';

/** A subject that is a line of shell; `$0` is the scenario. */
function shell(line: string): Subject {
  return { ...subjects[0]!, command: 'bash', args: ['-c', line] };
}

async function failureOf(subject: Subject): Promise<string> {
  try {
    await measure(subject, scenarios[0]!, 7);
  } catch (error) {
    return (error as Error).message;
  }
  return 'did not fail';
}

describe('the programs of the benches', () => {
  it('say in one line what they measured', async () => {
    expect(read('{"ns": 1.5, "rss": 4096}\n')).to.deep.equal({ ns: 1.5, rss: 4096 });
    const said = await measure(shell('echo "{\\"ns\\": $1}"'), scenarios[0]!, 7);
    expect(said).to.deep.equal({ ns: 7 });
  });

  it('may not say anything else', () => {
    for (const out of ['', 'fast', '{"ns": "1"}', '{"ns": 0}', '{}', '{"ns": 1, "bytes": -1}'])
      expect(() => read(out), out).to.throw(/printed/);
  });

  it('fail with what they wrote to standard error', async () => {
    expect(await failureOf(shell('echo "wrong: $0" >&2; exit 1'))).to.equal('wrong: simple');
    expect(await failureOf(shell('exit 3'))).to.equal('ended with code 3');
    expect(await failureOf({ ...subjects[0]!, command: '/nowhere' })).to.match(/\/nowhere|ENOENT/);
  });
});
