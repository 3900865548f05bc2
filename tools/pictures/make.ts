/** Makes the pictures of the guide anew: `npm run pictures`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { files, folder } from './all.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const made = await files();
rmSync(join(root, folder), { recursive: true, force: true });
mkdirSync(join(root, folder), { recursive: true });
for (const [name, svg] of made) writeFileSync(join(root, folder, name), svg);
