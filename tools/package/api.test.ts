import { expect } from 'chai';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stale } from '../api.js';
import { call, root } from './installed.js';

describe('the reports of what users see', function () {
  this.timeout(600_000);

  it('are what the types say: else `npm run api` writes them, and the change is told in the changelog', () => {
    call('node', ['--import', 'tsx', 'tools/api.ts', '--check']);
  });

  it('are found to be old, or missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'api-'));
    try {
      cpSync(join(root, 'js/api'), folder, { recursive: true });
      expect(stale(['locate'], folder)).to.deep.equal([]);
      const report = join(folder, 'locate.api.md');
      const changed = readFileSync(report, 'utf8').replace('close: () => void', 'end: () => void');
      writeFileSync(report, changed);
      expect(stale(['locate'], folder)).to.deep.equal(['locate']);
      rmSync(report);
      expect(stale(['locate'], folder)).to.deep.equal(['locate']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
