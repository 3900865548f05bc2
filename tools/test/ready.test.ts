import { expect } from 'chai';
import { missing, ofRepository, type Release } from '../package/ready.js';

describe('a release', () => {
  const ready: Release = {
    version: '1.2.0',
    changes: '# Changes\n\n## 1.2.0, 2027-01-01\n\n## 1.1.0\n',
    security: 'Report to **security@steptree.org**',
    repository: 'git+https://github.com/steptree/steptree.git',
    madeIn: 'steptree/steptree',
    tag: 'v1.2.0',
  };

  it('is ready, or it is said what is missing', () => {
    expect(missing(ready)).to.deep.equal([]);
    for (const [change, fault] of [
      [{ security: 'to security@steptree.example' }, 'SECURITY.md: its address is a placeholder'],
      [
        { repository: undefined },
        'package.json: it has no repository, without which npm takes no provenance',
      ],
      [{ changes: '## 1.1.0' }, 'CHANGELOG.md: nothing about 1.2.0'],
      [
        { changes: '## 1.2.0, not released yet' },
        'CHANGELOG.md: 1.2.0 is not released yet, it says',
      ],
      [
        { madeIn: 'else/steptree' },
        'package.json: its repository is git+https://github.com/steptree/steptree.git, this is else/steptree',
      ],
      [{ tag: 'v1.3.0' }, 'the tag is v1.3.0, the version 1.2.0'],
    ] as const)
      expect(missing({ ...ready, ...change })).to.deep.equal([fault]);
  });

  it('of this repository lacks what it says', () => {
    const faults = missing(ofRepository());
    for (const fault of faults) console.log(`      before a release: ${fault}`);
    expect([
      'SECURITY.md: its address is a placeholder',
      'package.json: it has no repository, without which npm takes no provenance',
      'CHANGELOG.md: 0.1.0 is not released yet, it says',
    ]).to.include.members(faults);
  });
});
