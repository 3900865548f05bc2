/**
 * Makes of the inspector's sources its page, one file, and the program of its server, which has the page inside.
 *
 *     node --import tsx tools/inspector.ts FILE     writes the page, and makes its folder
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

function bundled(source: string, options: BuildOptions): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, source)],
    bundle: true,
    minify: true,
    target: 'es2022',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
    ...options,
  });
  return outputFiles![0]!.text.trim();
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** It runs its own script only, has its own style only, and talks to where it came from only. */
export function inspectorPage(): string {
  const style = bundled('inspector/page.css', { target: 'chrome111' });
  const script = bundled('inspector/main.ts', { format: 'iife', platform: 'browser' });
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src-elem ${hashOf(style)}`,
    "style-src-attr 'none'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const [head, body] = readFileSync(join(root, 'inspector/page.html'), 'utf8')
    .replaceAll(/>\s+</g, '><')
    .split('</body>') as [string, string];
  const first = '<meta charset="utf-8" />';
  return `${head.replace(
    first,
    () =>
      `${first}<meta http-equiv="Content-Security-Policy" content="${policy}" /><style>${style}</style>`,
  )}<script>${script}</script></body>${body}`;
}

/** What `inspect` runs in a thread of its own. */
export function inspectorProgram(page = inspectorPage()): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return bundled('js/inspector/server.ts', {
    format: 'cjs',
    platform: 'node',
    define: { inspectorPage: JSON.stringify(page), packageVersion: JSON.stringify(version) },
  });
}

if (import.meta.filename === process.argv[1]) {
  const file = process.argv[2]!;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, inspectorPage());
}
