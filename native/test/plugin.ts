// The plug-in that tests call, built by the C compiler.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('.', import.meta.url));
const folder = fileURLToPath(new URL('../build/test', import.meta.url));
const flags = ['-std=c11', '-O1', '-shared', '-fPIC', '-pthread', `-I${own}../../cpp/include`];

/** Its path. */
export function builtPlugin(
  name = 'plugin',
  sources: readonly string[] = [`${own}${name}.c`],
): string {
  const path = `${folder}/${name}.so`;
  mkdirSync(folder, { recursive: true });
  execFileSync(process.env['CC'] ?? 'cc', [...flags, ...sources, '-o', path, '-lm']);
  return path;
}

/** What its handlers take and leave. */
export interface Tried {
  echo(...values: any[]): any;
  chain(steps: number): void;
  fail(): void;
  delay(ms: number): void;
  forever(): void;
  cleans(ms: number): void;
  remaining(): number;
  threaded(value: unknown): any;
  keep(value: unknown): void;
  kept(): any;
  letGo(): void;
  look(bytes: Uint8Array): [address: number, size: number, sum: number];
  makeThing(): object;
  useThing(thing: object): number;
  allocated(): number;
  ask(service: string, ...values: any[]): any;
  careful(service: string, ...values: any[]): any;
  causes(service: string, ...values: any[]): any;
  wraps(service: string, ...values: any[]): any;
  alone(service: string): void;
  holds(ms: number): void;
  spoils(): void;
  seen(): [cancels: number, cleanups: number, drops: number];
}
