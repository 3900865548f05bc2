import { expect } from 'chai';
import { startRedis } from './servers.js';
import { askAll, readTranscript, writeTranscript } from './transcript.js';
import { expectedOf, playWireCase, readWireCases } from './wire.js';

describe('Redis itself', () => {
  let redis: { port: number; kill: () => void };
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.kill());

  it('answers as transcript.txt says', async () => {
    const recorded = readTranscript();
    const seen = await askAll(redis.port, recorded);
    expect(writeTranscript(seen)).to.equal(writeTranscript(recorded));
  });

  for (const wire of readWireCases()) {
    it(`answers as wire.yaml says: ${wire.name}`, async () => {
      expect(await playWireCase(redis.port, wire)).to.equal(expectedOf(wire));
    });
  }
});
