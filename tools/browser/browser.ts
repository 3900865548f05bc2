/** Debian's Chromium, without a window. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const program = '/usr/bin/chromium';
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function openBrowser(): Promise<Browser> {
  if (!existsSync(program))
    throw new Error(
      `there is no ${program}: install the package chromium, or run tools/setup deep`,
    );
  return chromium.launch({ executablePath: program, headless: true, args: quiet });
}
