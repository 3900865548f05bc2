import { expect } from 'chai';
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

  const limit = (lang: string, name: string, subject: string) =>
    scenarios
      .find((it) => it.lang === lang && it.name === name)
      ?.targets.flatMap((it) => ('subject' in it && it.subject === subject ? it.ratio : []))[0];

  it('holds what is not negotiable', () => {
    expect(limit('cpp', 'simple', 'Boost.Fiber pooled')).to.be.at.most(1 / 10);
    expect(limit('cpp', 'parallel', 'Boost.Fiber pooled')).to.be.at.most(1 / 20);
    expect(limit('cpp', 'parallel_loops', 'Boost.Fiber pooled')).to.be.at.most(1 / 8);
    expect(limit('cpp', 'parallel_loops', 'Asio awaitable')).to.be.at.most(1);
    expect(limit('js', 'simple', 'async/await')).to.be.at.most(1.1);
    expect(limit('js', 'loop', 'async/await')).to.be.at.most(0.4);
  });
});
