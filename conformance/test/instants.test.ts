import { expect } from 'chai';
import type { Program } from '../case.js';
import { comparable } from '../fuzz/instants.js';

describe('traces of programs in two languages', () => {
  const native = { step: 'a', name: 'native', do: [{ success: [] }] };
  const cleaning = { ...native, do: [{ defer: 'd', do: [] }] };
  const programOf = (...main: unknown[]) =>
    ({ case: 'x', rules: [], flows: { main } }) as unknown as Program;
  const isSame = (expected: string[], actual: string[], program = programOf(native)) => {
    const [model, told] = comparable(program, expected, actual);
    return JSON.stringify(model) === JSON.stringify(told);
  };

  it('may have lines of different names in another order, at one instant', () => {
    expect(isSame(['@1', 'a', 'b! E', '@2', 'c'], ['@1', 'b! E', 'a', '@2', 'c'])).to.equal(true);
    expect(isSame(['@1', 'a', '@2', 'c'], ['@1', '@2', 'a', 'c'])).to.equal(false);
  });

  it('have those of one name in order', () => {
    expect(isSame(['a', 'b', 'a! E'], ['b', 'a', 'a! E'])).to.equal(true);
    expect(isSame(['a', 'b', 'a! E'], ['a! E', 'b', 'a'])).to.equal(false);
  });

  it('have those of steps that begin side by side in any order', () => {
    expect(isSame(['a', 'a', 'a! E', 'a~'], ['a', 'a! E', 'a', 'a~'])).to.equal(true);
    expect(isSame(['a', 'a', 'a! E', 'a~'], ['a', 'a', 'a! E', 'a! E'])).to.equal(false);
  });

  it('may tell more of a native cleanup, at the instant, and nothing less', () => {
    const told = ['@1', 'main report E', 'main ok'];
    const more = ['@1', 'main report F', 'main report E', 'main ok'];
    expect(isSame(told, more, programOf(cleaning))).to.equal(true);
    expect(isSame(more, told, programOf(cleaning))).to.equal(false);
    expect(isSame(told, more)).to.equal(false);
    expect(isSame(told, [...told, '@2', 'x'], programOf(cleaning))).to.equal(false);
  });

  it('have reports that follow each other in any order', () => {
    const [e, f] = ['main report E', 'main report F'];
    expect(isSame(['@1', e, f, 'main ok'], ['@1', f, e, 'main ok'])).to.equal(true);
    expect(isSame(['@1', e, f], ['@1', f, f])).to.equal(false);
    expect(isSame(['@1', e, 'main ok', f], ['@1', f, 'main ok', e])).to.equal(false);
    expect(isSame(['@1', e, '@2', f], ['@1', f, '@2', e])).to.equal(false);
  });

  it('are those of a program that cleans up in native steps, not around them', () => {
    const around = { defer: 'd', do: [native] };
    const handled = { ...native, catch: [{ defer: 'd', do: [] }] };
    for (const program of [programOf(around), programOf(handled)])
      expect(isSame(['a'], ['a', 'main report E'], program)).to.equal(false);
  });

  it('have other numbers behind a native step, and what services wait for is not known there', () => {
    expect(isSame(['main 0/native/1 delay'], ['main 0/native/0 delay'])).to.equal(true);
    expect(isSame(['waits="0/js/0 step: x"'], ['waits="0/js/0 step: y"'])).to.equal(true);
    expect(isSame(['waits="0/a/0 step: x"'], ['waits="0/a/0 step: y"'])).to.equal(false);
  });
});
