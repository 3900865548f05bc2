/** Versions are published side by side, each in a folder of its name. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../make/root.js';

describe('site/publish', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'publish-'));
  const remote = join(folder, 'remote.git');
  const git = (...args: string[]) =>
    execFileSync('git', [`--git-dir=${remote}`, ...args], { encoding: 'utf8' });
  const shown = (file: string) => git('show', `gh-pages:${file}`);

  before(() => void git('init', '-q', '--bare'));
  after(() => rmSync(folder, { recursive: true }));

  function publish(version: string, files: Readonly<Record<string, string>>): void {
    const pages = join(folder, version);
    rmSync(pages, { recursive: true, force: true });
    mkdirSync(pages);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(pages, name), text);
    execFileSync(join(root, 'site/publish'), [pages, remote], { stdio: 'pipe' });
  }

  it('keeps what is there of other versions, and nothing of the same one', () => {
    publish('0.9.0', { 'index.html': 'nine', 'old.html': 'old' });
    expect(JSON.parse(shown('versions.json'))).to.deep.equal(['0.9.0']);
    publish('0.10.0', { 'index.html': 'ten' });
    publish('0.9.0', { 'index.html': 'mended' });
    expect(git('ls-tree', '-r', '--name-only', 'gh-pages').trim().split('\n')).to.deep.equal([
      ...['.nojekyll', '0.10.0/index.html', '0.9.0/index.html', 'index.html', 'versions.json'],
    ]);
    expect([shown('0.9.0/index.html'), shown('0.10.0/index.html')]).to.deep.equal([
      'mended',
      'ten',
    ]);
    expect(JSON.parse(shown('versions.json'))).to.deep.equal(['0.10.0', '0.9.0']);
    expect(shown('index.html')).to.include('url=0.10.0/index.html');
  });

  it('tries again if another version is published meanwhile', () => {
    const hook = join(remote, 'hooks/update');
    const others = `[ -e "$GIT_DIR/seen" ] && exit
touch "$GIT_DIR/seen"
other=$(git -c user.name=a -c user.email=b commit-tree -p "$2" -m other "$2^{tree}")
env -u GIT_QUARANTINE_PATH git update-ref refs/heads/gh-pages "$other"
exit 1
`;
    mkdirSync(join(remote, 'hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\n${others}`);
    chmodSync(hook, 0o755);
    publish('0.8.0', { 'index.html': 'eight' });
    rmSync(hook);
    expect(git('log', '--format=%s', '-2', 'gh-pages')).to.equal('The pages of 0.8.0\nother\n');
    expect(JSON.parse(shown('versions.json'))).to.deep.equal(['0.10.0', '0.9.0', '0.8.0']);
  });

  it('changes nothing if it is published already, and refuses what has no pages', () => {
    const before = git('rev-parse', 'gh-pages');
    publish('0.10.0', { 'index.html': 'ten' });
    expect(git('rev-parse', 'gh-pages')).to.equal(before);
    expect(() => publish('0.11.0', { 'x.html': '' })).to.throw('has no pages');
    expect(git('rev-parse', 'gh-pages')).to.equal(before);
  });
});
