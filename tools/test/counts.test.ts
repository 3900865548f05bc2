import { expect } from 'chai';
import { cargo, check, conformance, ctest, implementations, mocha } from '../check/counts.js';

const ran = (passed: number, failed: number) => ({ passed, failed });

describe('counts', () => {
  it('counts a command as one check', () => {
    expect(check('', 0)).to.deep.equal(ran(1, 0));
    expect(check('', 2)).to.deep.equal(ran(0, 1));
  });

  it('counts the tests of mocha, those left out as failed', () => {
    expect(mocha('\n  12 passing (2s)\n', 0)).to.deep.equal(ran(12, 0));
    expect(mocha('\n  12 passing (2s)\n  3 failing\n', 3)).to.deep.equal(ran(12, 3));
    expect(mocha('\n  12 passing (2s)\n  1 pending\n', 0)).to.deep.equal(ran(12, 1));
  });

  it('counts the tests of cargo, those left out as failed', () => {
    const result = (failed: number, ignored: number) =>
      `test result: ok. 3 passed; ${failed} failed; ${ignored} ignored; 0 measured; 0 filtered out\n`;
    expect(cargo(result(0, 0) + result(0, 0), 0)).to.deep.equal(ran(6, 0));
    expect(cargo(result(0, 0) + result(2, 1), 101)).to.deep.equal(ran(6, 3));
    expect(cargo('', 0)).to.deep.equal(ran(0, 1));
  });

  it('counts the tests of ctest', () => {
    const output = '95% tests passed, 1 tests failed out of 20\n';
    expect(ctest(output, 8)).to.deep.equal(ran(19, 1));
    expect(ctest('100% tests passed, 0 tests failed out of 20\n', 0)).to.deep.equal(ran(20, 0));
  });

  it('counts the cases of Catch2 where ctest ran them as one test', () => {
    const output =
      '1: All tests passed (340 assertions in 81 test cases)\n' +
      '2: All tests passed (10 assertions in 1 test case)\n' +
      '100% tests passed, 0 tests failed out of 3\n';
    expect(ctest(output, 0)).to.deep.equal(ran(83, 0));
    const broken =
      '1: test cases: 81 | 79 passed | 2 failed\n' +
      '1: assertions: 340 | 330 passed | 10 failed\n' +
      '67% tests passed, 1 tests failed out of 3\n';
    expect(ctest(broken, 8)).to.deep.equal(ran(81, 2));
  });

  it('counts what each implementation passed', () => {
    expect(
      implementations('seed 7\njs: 9 passed, 0 failed\ncpp: 8 passed, 1 failed\n', 1),
    ).to.deep.equal(ran(17, 1));
    expect(implementations('building the adapter cpp\n', 0)).to.deep.equal(ran(0, 1));
  });

  it('counts cases times implementations', () => {
    const table = 'chapter  cases  js  cpp\nerror        3   3    2\nall          3   3    2\n';
    expect(conformance(table, 1)).to.deep.equal(ran(5, 1));
    expect(conformance('chapter  cases  cpp\nall          3    3\n', 0)).to.deep.equal(ran(3, 0));
    expect(conformance('unfit          0  1\nall         3  3  2\n', 0)).to.deep.equal(ran(5, 0));
  });

  it('counts a run that failed though all cases passed', () => {
    expect(conformance('all   3   3\n', 1)).to.deep.equal(ran(3, 1));
  });

  it('believes no success without a test, nor against the exit code', () => {
    for (const count of [mocha, ctest, conformance]) {
      expect(count('', 0)).to.deep.equal(ran(0, 1));
    }
    expect(mocha('12 passing', 1)).to.deep.equal(ran(12, 1));
    expect(ctest('100% tests passed, 0 tests failed out of 20', 1)).to.deep.equal(ran(20, 1));
  });
});
