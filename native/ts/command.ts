#!/usr/bin/env node
// `npx steptree-native types ./greeter.so > greeter.d.ts`: the interface of a plug-in.

import { list, load } from './index.js';
import { interfaceOf } from './interface.js';

const [, , command, path] = process.argv;
if (command !== 'types' || path === undefined) {
  console.error('usage: steptree-native types PLUGIN');
  process.exitCode = 2;
} else {
  try {
    await load(path);
    process.stdout.write(interfaceOf(list().at(-1)!));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
