// What the compiler says of frequent mistakes: what to do.

import { expect } from 'chai';
import { compiled } from './compiled.js';

describe('messages of the compiler', function () {
  this.timeout(120_000);
  let said = '';

  before(() => {
    said = compiled(`
      import { defaultTool, run, Scope, step } from 'steptree';
      const size = step((_asi, id: string) => id.length);
      size.onError(() => 0);
      run(size);
      new Scope().run(size);
      defaultTool.start(size);
      run(step(function* () { yield 1; })).then((n: number) => n);
    `);
  });

  it('a handler that only returns a value learns how to recover', () => {
    expect(said).to.include('"a fallback value: return asi.success(value)"');
  });

  it('who runs a step that needs a value learns how to give it', () => {
    expect(said.split('"bind its values: step.with(…)"')).to.have.length(4);
  });

  it('who expects a value of a generator function learns that it is no body', () => {
    expect(said).to.include('AGeneratorFunctionIsNoBody');
  });
});
