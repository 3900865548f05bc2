import { expect } from 'chai';
import { checkTs, differences, misquotes, pages, runTs, snippets } from './run.js';

describe('the guide in TypeScript', function () {
  this.timeout(600_000);

  it('compiles', async () => {
    expect(await checkTs()).to.equal('');
  });
  it('shows lines of files as they are', () => {
    expect(pages.flatMap(misquotes)).to.deep.equal([]);
  });
  for (const page of pages) {
    const all = snippets(page, 'ts');
    if (all.length === 0) continue;
    it(`docs/${page} prints what it says`, async () => {
      expect(differences(page, all, await runTs(page))).to.deep.equal([]);
    });
  }
});
