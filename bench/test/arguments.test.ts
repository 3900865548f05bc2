import { expect } from 'chai';
import { parse, UsageError } from '../arguments.js';
import { scenarios } from '../scenarios.js';

const names = (args: readonly string[]) =>
  parse(args).scenarios.map(({ lang, name }) => `${lang} ${name}`);

describe('the command line of the benches', () => {
  it('asks for everything when it is empty, and that may be published', () => {
    const options = parse([]);
    expect(options.scenarios).to.deep.equal(scenarios);
    expect(options).to.include({ quick: false, json: false, complete: true });
  });

  it('publishes nothing that is smaller than everything', () => {
    for (const args of [['--quick'], ['--only', 'simple'], ['--lang', 'js'], ['--repeat', '2']])
      expect(parse(args).complete, args.join(' ')).to.equal(false);
    expect(parse(['--json']).complete).to.equal(true);
  });

  it('takes an exact name for itself alone, in both languages', () => {
    expect(names(['--only', 'simple'])).to.deep.equal(['cpp simple', 'js simple']);
    expect(names(['--only', 'simple', '--lang', 'js'])).to.deep.equal(['js simple']);
  });

  it('takes any other name for all that contain it', () => {
    expect(names(['--only', 'nothrow'])).to.deep.equal([
      'cpp error_nothrow',
      'cpp defined_error_nothrow',
      'js error_nothrow',
      'js defined_error_nothrow',
    ]);
    expect(names(['--only', 'grows_timers', '--lang', 'cpp'])).to.have.lengthOf(4);
  });

  it('takes several names, by commas and by repetition, in the order of the table', () => {
    const wanted = ['js simple', 'js loop', 'js cancel'];
    expect(names(['--lang=js', '--only', 'cancel,loop', '--only=simple'])).to.deep.equal(wanted);
  });

  it('repeats as often as it is told, less with --quick', () => {
    expect(parse(['--repeat', '2', '--quick']).repeat).to.equal(2);
    expect(parse(['--quick']).repeat).to.equal(3);
    expect(parse([]).repeat).to.be.at.least(5);
  });

  it('names what there is when it does not know a name', () => {
    expect(() => parse(['--only', 'simpel'])).to.throw(
      UsageError,
      /no scenario 'simpel'; there are: simple, parallel, /,
    );
    expect(() => parse(['--only', 'parallel_loops', '--lang', 'js'])).to.throw(UsageError);
    expect(() => parse(['--only', 'simple,'])).to.throw(UsageError, /no scenario ''/);
  });

  it('refuses what it does not understand', () => {
    const wrong: readonly (readonly [string[], RegExp])[] = [
      [['--fast'], /no option '--fast'/],
      [['simple'], /no option 'simple'/],
      [['--lang', 'java'], /--lang is cpp or js, not 'java'/],
      [['--repeat', '0'], /--repeat is a number of 1 or more, not '0'/],
      [['--repeat'], /--repeat needs a value/],
      [['--only'], /--only needs a value/],
      [['--add'], /--add goes with --only and --lang, and nothing else/],
      [['--add', '--only', 'simple', '--quick'], /--add goes with/],
      [['--add', '--only', 'simple', '--repeat', '2'], /--add goes with/],
    ];
    for (const [args, message] of wrong) expect(() => parse(args)).to.throw(UsageError, message);
  });
});
