/** Makes table, charts and the README's part of bench/results/latest.json anew, measuring nothing: `npm run bench:report`. */
import { fileURLToPath } from 'node:url';
import { publish, published } from './report/write.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}bench/results`;
publish(published(folder), folder, `${root}README.md`);
