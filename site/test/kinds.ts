/** A page of each kind: what looks alike is looked at once. */
export const kinds: Readonly<Record<string, string>> = {
  'first page': 'index.html',
  guide: 'docs/limits.html',
  'guide, with pictures': 'docs/many-at-once.html',
  tables: 'docs/what-became-what.html',
  rules: 'spec/loop.html',
  'cases, by file': 'cases/loop.html',
  'cases, by rule': 'cases/by-rule/loop.html',
  'all cases': 'cases/index.html',
  playground: 'playground/index.html',
  reference: 'api/index.html',
  'reference, TypeScript': 'api/ts/mutex.html',
  'reference, C++': 'api/cpp/mutex.html',
  changes: 'changelog.html',
  benches: 'bench/results/table.html',
  'a file': 'source/spec/errors.json.html',
  'a folder': 'source/spec/model.html',
};
