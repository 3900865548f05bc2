/** steptree with a client of the package redis. */
import { readFileSync } from 'node:fs';
import { createClient } from 'redis';
import { calls } from './calls.js';
import { guards } from './guards.js';
import { jobs } from './jobs.js';
import type { Subject } from './subject.js';

const connect = async (port: number) => {
  const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect();
  return { client, ping: () => client.ping() };
};
const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

export const subject: Subject = {
  name: 'steptree',
  version: JSON.parse(manifest).version,
  programs: { ...guards(connect), jobs: jobs(connect), calls: calls(connect) },
};
