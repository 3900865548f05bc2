import { expect } from 'chai';
import type { Demand } from '../scenario.js';
import { scenarios } from '../scenarios.js';
import { subjects } from '../subjects.js';

describe('the table of scenarios', () => {
  it('has each name once in a language', () => {
    const names = scenarios.map(({ lang, name }) => `${lang} ${name}`);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('has targets against subjects and scenarios that exist', () => {
    for (const { lang, name, targets } of scenarios) {
      for (const target of targets) {
        if ('subject' in target)
          expect(
            subjects.some((it) => it.lang === lang && it.name === target.subject),
            `${name}: ${target.subject}`,
          ).to.equal(true);
        if ('scenario' in target)
          expect(
            scenarios.some((it) => it.lang === lang && it.name === target.scenario),
            `${name}: ${target.scenario}`,
          ).to.equal(true);
      }
    }
  });

  const limit = (demand: Demand, lang: string, name: string, subject: string) =>
    scenarios
      .find((it) => it.lang === lang && it.name === name)
      ?.targets.filter((it) => it.demand === demand)
      .flatMap((it) => ('subject' in it && it.subject === subject ? it.ratio : []))[0];

  it('holds what is not negotiable', () => {
    expect(limit('must', 'cpp', 'simple', 'Boost.Fiber pooled')).to.be.at.most(1 / 10);
    expect(limit('must', 'cpp', 'parallel', 'Boost.Fiber pooled')).to.be.at.most(1 / 20);
    expect(limit('must', 'cpp', 'parallel_loops', 'Boost.Fiber pooled')).to.be.at.most(1 / 8);
    expect(limit('must', 'cpp', 'parallel_loops', 'Asio awaitable')).to.be.at.most(1);
    expect(limit('must', 'js', 'simple', 'async/await')).to.be.at.most(1.1);
    expect(limit('must', 'js', 'loop', 'async/await')).to.be.at.most(0.4);
    for (const lang of ['cpp', 'js'])
      for (const name of ['grows_simple_1M', 'grows_switch_1M'])
        expect(
          scenarios.find((it) => it.lang === lang && it.name === name)?.targets,
          name,
        ).to.deep.equal([{ demand: 'must', scenario: name.replace('1M', '1k'), ratio: 3 }]);
  });

  it('has goals that ask for no less than what must be', () => {
    for (const { lang, name, targets } of scenarios)
      for (const target of targets)
        if (target.demand === 'must' && 'subject' in target)
          expect(
            limit('goal', lang, name, target.subject),
            `${lang} ${name} ${target.subject}`,
          ).to.be.at.most(target.ratio);
  });

  it("asks for an echo that costs no more than with any timeout of the peer's", () => {
    for (const subject of ['Asio awaitable', 'Asio awaitable, one timer'])
      expect(limit('goal', 'cpp', 'tcp_echo', subject), subject).to.be.at.most(1);
  });

  it('has floors that are subjects', () => {
    for (const { lang, name, floors = [] } of scenarios)
      for (const floor of floors)
        expect(
          subjects.some((it) => it.lang === lang && it.name === floor),
          `${name}: ${floor}`,
        ).to.equal(true);
  });
});
