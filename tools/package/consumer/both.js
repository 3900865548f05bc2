import { createRequire } from 'node:module';
import * as steptree from 'steptree';
import * as pool from 'steptree/pool';

const require = createRequire(import.meta.url);
let same = 0;
for (const [imported, required] of [
  [steptree, require('steptree')],
  [pool, require('steptree/pool')],
]) {
  for (const name of Object.keys(required)) {
    if (imported[name] !== required[name]) console.log(`${name} is another one`);
    else same++;
  }
}
console.log(`${same} are the same`);

try {
  require('steptree/pool').offload({});
} catch (error) {
  if (error instanceof steptree.StepError) console.log('caught');
}
