import { readFileSync } from 'node:fs';
/** The reference: all names of both languages, with the declarations that the compiler sees. */
import { expect } from 'chai';
import * as steptree from 'steptree';
import { type Declared, type Module, cppModules, jsModules } from '../make/api.js';
import { Api } from '../make/apipages.js';
import { writeTypes } from '../make/playground.js';

describe('the reference', () => {
  let js: Module[];
  let cpp: Module[];

  before(() => {
    js = jsModules(writeTypes());
    cpp = cppModules();
  });

  const find = (modules: readonly Module[], name: string): Declared => {
    const found = modules.flatMap(({ declared }) => declared).find((each) => each.name === name);
    expect(found, name).to.not.equal(undefined);
    return found!;
  };
  const member = (modules: readonly Module[], of: string, name: string) =>
    find(modules, of).members.find((each) => each.name === name)!;

  it('has every name that the package exports', () => {
    const index = readFileSync(new URL('../../js/src/index.ts', import.meta.url), 'utf8');
    const hidden = [...index.matchAll(/@internal.*\nexport \{ (\w+) \}/g)].map(([, name]) => name);
    for (const name of Object.keys(steptree)) if (!hidden.includes(name)) find(js, name);
  });

  it('has a class with its head, its members, and what is said of them, in both languages', () => {
    expect(find(js, 'Mutex').code).to.equal('class Mutex extends HeldGuard');
    expect(find(js, 'Mutex').words).to.match(/^Lets at most `max` lines in at a time/);
    expect(member(js, 'Mutex', 'places').code).to.equal('places(n: number): Guard');
    expect(find(cpp, 'BasicMutex').code).to.equal(
      'template <class Lock>\nclass BasicMutex final : public Guard',
    );
    expect(member(cpp, 'BasicMutex', 'places').code).to.equal('Guard& places(std::int64_t n)');
    expect(member(cpp, 'BasicMutex', 'name').code).to.equal(
      'const std::string& name() const noexcept',
    );
  });

  it('has a class that is exported under the name of another, with what its bases say', () => {
    expect(find(js, 'AsyncSteps').code).to.match(/^class AsyncSteps<S = any> implements IFlow<S>$/);
    expect(find(js, 'StepError').code).to.match(/^class StepError\b/);
  });

  it('has all overloads, and options with what they are without', () => {
    expect(member(js, 'Channel', 'send').code.split('\n')).to.have.length(2);
    expect(member(cpp, 'MutexOptions', 'max')).to.deep.include({
      code: 'std::int64_t max = 1',
      words: 'lines that may be in at a time, at least 1',
    });
  });

  it('is found by each of its names once', () => {
    const api = new Api([
      { lang: 'ts', title: 'JavaScript', modules: js },
      { lang: 'cpp', title: 'C++', modules: cpp },
    ]);
    const ids = api.entries().map(({ id }) => id);
    expect(ids).to.include.members(['api/ts/mutex.html#Mutex', 'api/cpp/chandles.html#cHandle']);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('shows no body, and nothing that is private', () => {
    const all = [...js, ...cpp].flatMap(({ declared }) =>
      declared.flatMap((each) => [each, ...each.members]),
    );
    expect(all.length).to.be.greaterThan(800);
    const odd = all.filter(({ code }) =>
      /\breturn\b|private:|#private|STEPTREE_VISIBLE/.test(code),
    );
    expect(odd).to.deep.equal([]);
  });
});
