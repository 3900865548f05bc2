import { expect } from 'chai';
import { cppExamples } from './comments.js';
import { checkCpp, differences, notInAll, pages, runCpp, snippets } from './run.js';

describe('the guide in C++', function () {
  this.timeout(600_000);

  it('includes all of the core by one header', () => {
    expect(notInAll()).to.deep.equal([]);
  });
  it('has examples in the comments of headers, which compile', async () => {
    expect(await checkCpp('examples', cppExamples())).to.equal('');
  });
  for (const page of pages) {
    const all = snippets(page, 'cpp');
    if (all.length === 0) continue;
    it(`docs/${page} compiles, and prints what it says`, async () => {
      expect(differences(page, all, await runCpp(page))).to.deep.equal([]);
    });
  }
});
