// vcpkg itself isn't to be had by apt, npm or pip: its functions are played by standins.cmake.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const port = join(root, 'packaging/vcpkg/steptree');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the port of vcpkg', function () {
  this.timeout(120_000);
  const manifest = JSON.parse(readFileSync(join(port, 'vcpkg.json'), 'utf8'));

  it('says of itself what the package says', () => {
    const { name, version, description, license } = JSON.parse(read('package.json'));
    expect(readdirSync(port)).to.have.members(['portfile.cmake', 'usage', 'vcpkg.json']);
    expect(manifest).to.include({ name, license, 'version-semver': version });
    expect(description).to.include(manifest.description);
    // What vcpkg allows in a name, and at the top of a manifest.
    const names = [...Object.keys(manifest.features), ...manifest['default-features'], name];
    for (const one of names) expect(one).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(Object.keys(manifest)).to.have.members([
      ...['$schema', 'name', 'version-semver', 'description', 'license', 'supports'],
      ...['dependencies', 'default-features', 'features'],
    ]);
  });

  it('configures with options that there are, and installs no more than vcpkg wants', () => {
    const folder = mkdtempSync(join(tmpdir(), 'port-'));
    try {
      const variables = {
        PORT: 'steptree',
        FEATURES: 'core;c',
        BUILD: join(root, 'build/dev'),
        CURRENT_PACKAGES_DIR: folder,
        PORTFILE: join(port, 'portfile.cmake'),
      };
      const given = Object.entries(variables).map(([name, value]) => `-D${name}=${value}`);
      const script = join(root, 'packaging/vcpkg/standins.cmake');
      const { stderr, status } = spawnSync('cmake', [...given, '-P', script], { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      expect(stderr).to.include(`source: ${root.replace(/\/$/, '')}\n`);
      const options = [...stderr.matchAll(/-D(\w+)=(\w+)/g)].map(([, name, value]) => [
        name!,
        value,
      ]);
      expect(Object.fromEntries(options)).to.include({
        STEPTREE_BUILD_C: 'ON',
        STEPTREE_BUILD_POOL: 'OFF',
      });
      const known = read('CMakeLists.txt');
      for (const [name] of options)
        expect(known).to.match(new RegExp(`(option\\(|set\\()${name} `));
      expect(readdirSync(folder)).to.have.members(['debug', 'include', 'lib', 'share']);
      expect(readdirSync(join(folder, 'debug'))).to.deep.equal(['lib']);
      expect(readdirSync(join(folder, 'share'))).to.deep.equal(['steptree']);
      expect(readdirSync(join(folder, 'share/steptree'))).to.have.members(['copyright', 'usage']);
      expect(existsSync(join(folder, 'include/steptree/all.hpp'))).to.equal(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
