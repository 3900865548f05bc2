import { createRequire } from 'node:module';
import * as steptree from 'steptree';
import * as inspector from 'steptree/inspector';
import * as pool from 'steptree/pool';

const require = createRequire(import.meta.url);
for (const [imported, required] of [
  [steptree, require('steptree')],
  [pool, require('steptree/pool')],
  [inspector, require('steptree/inspector')],
]) {
  for (const name of new Set([...Object.keys(imported), ...Object.keys(required)]))
    if (imported[name] !== required[name]) console.log(`${name} is another one`);
}

try {
  require('steptree/pool').offload({});
} catch (error) {
  if (error instanceof steptree.StepError) console.log('caught');
}
