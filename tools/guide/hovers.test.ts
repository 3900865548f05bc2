import { expect } from 'chai';
import { checkExamples, commentFaults, cppComments, tsComments } from './comments.js';

describe('the comments of the public interface', function () {
  this.timeout(600_000);

  it('say what each call is, and lead to the guide, in JavaScript', async () => {
    expect(commentFaults(await tsComments())).to.equal('');
  });
  it('have examples that compile, in JavaScript', async () => {
    expect(await checkExamples()).to.equal('');
  });
  it('say what each call is, and lead to the guide, in C++', () => {
    expect(commentFaults(cppComments())).to.equal('');
  });
});
