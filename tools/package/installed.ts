/** Packs the package and installs it into an empty project, as a user would. */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Installed {
  readonly tarball: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The project that it is installed in. */
  readonly project: string;
  /** What is installed there then. */
  readonly modules: readonly string[];
}

export function installPackage(): Installed {
  const folder = join(root, 'build/package');
  const project = join(folder, 'project');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'tools/package/consumer'), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  cpSync(join(project, 'types.ts'), join(project, 'types.cts'));
  call('npm', ['run', '--silent', 'stage'], root);
  const packed = call('npm', ['pack', './build/npm', '--json', '--pack-destination', folder]);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string);
  call('npm', ['install', '--offline', '--ignore-scripts', tarball], project);
  return {
    tarball,
    files: filesOf(packed),
    manifest: JSON.parse(readFileSync(join(project, 'node_modules/steptree/package.json'), 'utf8')),
    project,
    modules: readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
  };
}

/** What those have who trace. */
export function installApi({ project }: Installed): void {
  const name = 'node_modules/@opentelemetry/api';
  cpSync(join(root, name), join(project, name), { recursive: true });
}

/** npm prints a list of packages, from version 12 on an object of them. */
function filesOf(packed: string): string[] {
  const [told] = Object.values(JSON.parse(packed)) as { files: { path: string }[] }[];
  return (told?.files ?? []).map(({ path }) => path).sort();
}

/** Runs a program of node_modules or of the machine, and returns its output. */
export function call(program: string, args: readonly string[], cwd = root): string {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
        FORCE_COLOR: undefined,
        NO_COLOR: '1',
      },
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed\n${stdout}${stderr}`);
  }
}
