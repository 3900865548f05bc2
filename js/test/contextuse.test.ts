import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { expect } from 'chai';
import { newestNode } from '../src/context.js';

const source = (name: string) => fileURLToPath(new URL(`context/${name}.ts`, import.meta.url));

/** How this Node can make contexts: its own way, and the others that it still has. */
const ways = ['--async-context-frame', '--experimental-async-context-frame']
  .filter((flag) => process.allowedNodeEnvironmentFlags.has(flag))
  .flatMap((flag) => [flag, flag.replace(/^--/, '--no-')])
  .concat('--trace-warnings');

/** No loader stands between: it would have loaded what the runtime looks for. */
describe('the use of contexts', function () {
  this.timeout(60_000);
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'steptree-'));
    buildSync({
      entryPoints: [source('late'), source('inside')],
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
  });

  after(() => rmSync(folder, { recursive: true }));

  it('the newest Node whose list of modules is believed is the one that is tested', () => {
    const { config } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(config.newestNode.split('.')[0]).to.equal(`${newestNode}`);
  });

  const outputs = (name: string) =>
    ways.map((way) => {
      const args = [way, join(folder, `${name}.mjs`)];
      return `${way}: ${execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()}`;
    });
  const nothingWrong = ways.map((way) => `${way}: true []`);

  it('contexts are found also when they come late', () => {
    expect(outputs('late')).to.deep.equal(nothingWrong);
  });

  it('whoever imports the package leaves nothing of his context', () => {
    expect(outputs('inside')).to.deep.equal(nothingWrong);
  });
});
