import { writeFileSync } from 'node:fs';
import { startRedis } from './servers.js';
import { askAll, readTranscript, transcriptFile, writeTranscript } from './transcript.js';

// Writes the answers of Redis itself under what transcript.txt asks.
const redis = await startRedis();
try {
  const exchanges = await askAll(redis.port, readTranscript());
  writeFileSync(transcriptFile, writeTranscript(exchanges), 'latin1');
} finally {
  redis.kill();
}
