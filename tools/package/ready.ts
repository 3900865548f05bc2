/**
 * What stands in the way of a release.
 *
 *   node --import tsx tools/package/ready.ts [TAG]     prints it; fails if there is something
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Release {
  readonly version: string;
  readonly changes: string;
  readonly security: string;
  /** What npm compares with where a package with provenance was made. */
  readonly repository: string | undefined;
  /** Where it is made, `owner/name`. */
  readonly madeIn?: string;
  readonly tag?: string;
}

/** `owner/name` of an address. */
const nameOf = (url: string) => /([^/:]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1];

/** In sentences. */
export function missing(release: Release): string[] {
  const { version, changes, security, repository, madeIn, tag } = release;
  const isElsewhere = repository && madeIn && nameOf(repository) !== madeIn;
  const heading = changes.split('\n').find((line) => line.startsWith(`## ${version}`));
  return [
    /\.(?:example|invalid|test)\b/.test(security) && 'SECURITY.md: its address is a placeholder',
    !repository && 'package.json: it has no repository, without which npm takes no provenance',
    isElsewhere && `package.json: its repository is ${repository}, this is ${madeIn}`,
    heading === undefined && `CHANGELOG.md: nothing about ${version}`,
    heading?.includes('not released') && `CHANGELOG.md: ${version} is not released yet, it says`,
    tag !== undefined && tag !== `v${version}` && `the tag is ${tag}, the version ${version}`,
  ].filter((fault) => typeof fault === 'string');
}

export function ofRepository(tag?: string): Release {
  const text = (name: string) => readFileSync(join(root, name), 'utf8');
  const { GITHUB_REPOSITORY: madeIn } = process.env;
  const { version, repository } = JSON.parse(text('package.json'));
  return {
    version,
    repository: repository?.url,
    changes: text('CHANGELOG.md'),
    security: text('SECURITY.md'),
    ...(madeIn === undefined ? {} : { madeIn }),
    ...(tag === undefined ? {} : { tag }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = missing(ofRepository(process.argv[2]));
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
