/** Makes table, charts and the README's part of bench/results/latest.json anew, measuring nothing: `npm run bench:report`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Results } from './report/results.js';
import { publish } from './report/write.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const latest = readFileSync(`${root}bench/results/latest.json`, 'utf8');
publish(JSON.parse(latest) as Results, `${root}bench/results`, `${root}README.md`);
