// A worker that runs one program: it has the package as `watched.ts` gives it, and its console.

import { hand, print } from './moments.js';

/** The address of the program, which is a module. */
let program = '';

/** Lines of the program have names and numbers that its writer knows; those of the package are left out. */
const readable = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => !/(?:^\s+at |@).*\/workers\//.test(line))
    .join('\n')
    .replaceAll(program, 'program');

const shown = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value instanceof Error)
    return value.stack?.includes(value.message) ? readable(value.stack) : String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};

for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
  const isError = name === 'warn' || name === 'error';
  console[name] = (...values: unknown[]) => print(values.map(shown).join(' '), isError);
}
self.addEventListener('error', (event) => {
  print(shown(event.error ?? event.message), true);
  event.preventDefault();
});
self.addEventListener('unhandledrejection', (event) => {
  print(shown(event.reason), true);
  event.preventDefault();
});

self.addEventListener('message', async ({ data }: MessageEvent<string>) => {
  program = data;
  try {
    await import(data);
  } catch (failure) {
    print(shown(failure), true);
  }
  hand();
  self.postMessage('over');
});
