import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** A file each: what CMake builds, installs and finds reads them. Others have lists of their own, as they know no CMake. */
const components = readdirSync(new URL('cpp/cmake/components', root)).map((name) =>
  basename(name, '.cmake'),
);
const option = (name: string) => `STEPTREE_BUILD_${name.toUpperCase()}`;

describe('each component of C++', () => {
  it('is one of these', () => {
    expect(components).to.include.members(['c', 'inspector', 'pool', 'redis']);
  });

  for (const file of [
    'CMakeLists.txt',
    'packaging/conan/conanfile.py',
    'packaging/vcpkg/steptree/portfile.cmake',
  ]) {
    it(`is built or left out by ${file}`, () => {
      const said = [...text(file).matchAll(/STEPTREE_BUILD_\w+/g)].map(([name]) => name);
      expect(said).to.include.members(components.map(option));
    });
  }

  it('is what the features of vcpkg and the options of Conan are, but for those of the library itself', () => {
    const { features } = JSON.parse(text('packaging/vcpkg/steptree/vcpkg.json'));
    const options = /\n {4}options = \{(.*?)\}/s.exec(text('packaging/conan/conanfile.py'))![1]!;
    const named = [...options.matchAll(/"(\w+)":/g)].map(([, name]) => name!);
    const own = named.filter((name) => !/^(?:shared|fPIC)$/.test(name));
    expect(own).to.deep.equal(Object.keys(features));
    expect(components).to.include.members(own);
  });

  it('is named where packages are explained', () => {
    for (const name of components)
      expect(text('docs/packages.md'))
        .to.include(`steptree::${name}`)
        .and.include(`steptree-${name}`);
  });
});
