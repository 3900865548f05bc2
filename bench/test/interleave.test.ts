import { expect } from 'chai';
import { parse } from '../arguments.js';
import { interleave, nameOf } from '../interleave.js';
import { type Cell, plan } from '../plan.js';
import { Progress } from '../progress.js';
import { subjects } from '../subjects.js';

const present = subjects
  .filter(({ name }) => ['steptree', 'Effect'].includes(name))
  .map((subject) => ({ subject, version: '1', programs: ['simple', 'loop'] }));
const cells = plan(parse(['--lang', 'js', '--only', 'simple,loop']), present);

function watcher() {
  const said: string[] = [];
  return { said, step: () => {}, say: (text: string) => said.push(text) };
}

describe('the interleaved run of the benches', () => {
  it('does all of one repetition before the next', async () => {
    const names: string[] = [];
    const measure = async (cell: Cell) => ({ ns: names.push(nameOf(cell)) });
    const { samples, failures } = await interleave(cells, 2, measure, watcher());
    const once = ['js simple steptree', 'js simple Effect', 'js loop steptree', 'js loop Effect'];
    expect(names).to.deep.equal([...once, ...once.toReversed()]);
    expect(samples.map(({ ns, repetition }) => [ns, repetition]).at(-1)).to.deep.equal([8, 1]);
    expect(failures.size).to.equal(0);
  });

  it('says at once what has failed, goes on with the rest, and does not try it again', async () => {
    let tried = 0;
    const measure = async ({ subject, scenario }: Cell) => {
      if (subject.name === 'Effect' && scenario.name === 'loop' && ++tried > 0)
        throw new Error('7 of 8 operations ended');
      return { ns: 1 };
    };
    const seen = watcher();
    const { samples, failures } = await interleave(cells, 3, measure, seen);
    expect(tried).to.equal(1);
    expect(samples).to.have.lengthOf(9);
    expect([...failures]).to.deep.equal([['js loop Effect', '7 of 8 operations ended']]);
    expect(seen.said).to.deep.equal(['FAILED: js loop Effect: 7 of 8 operations ended']);
  });
});

describe('the progress of the benches', () => {
  function shown(isTTY: boolean): string {
    let text = '';
    const write = (part: string) => {
      text += part;
      return true;
    };
    const progress = new Progress(4, { isTTY, write } as unknown as NodeJS.WriteStream);
    for (const what of ['a', 'b', 'c', 'd']) progress.step(what);
    progress.end();
    return text;
  }

  it('is a bar in one line on a terminal', () => {
    const text = shown(true);
    expect(text).to.match(/\[K\[={15} {15}\] 2\/4 .*c\r/);
    expect(text.match(/\n/g)).to.have.lengthOf(1);
  });

  it('is a plain line now and then elsewhere', () => {
    expect(shown(false)).to.match(/^0\/4 +a\n4 of 4 programs run in \d+ s\n$/);
  });
});
