/** Makes tables, charts and the README's part of what is in bench/results/ anew, measuring nothing: `npm run bench:report`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Results } from './redis/results.js';
import { table } from './redis/table.js';
import { publish, published } from './report/write.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}bench/results`;
publish(published(folder), folder, `${root}README.md`);
const overRedis = JSON.parse(readFileSync(`${folder}/redis.json`, 'utf8')) as Results;
writeFileSync(`${folder}/redis.md`, table(overRedis));
