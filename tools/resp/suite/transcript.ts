import { expect } from 'chai';
import type { ServerCommand } from '../servers.js';
import { askAll, readTranscript, writeTranscript } from '../transcript.js';
import { expectedOf, playWireCase, readWireCases } from '../wire.js';
import { encode } from '../wireclient.js';
import { Fixture } from './fixture.js';

/** Answers are those of the recorded files. */
export function transcriptSuite(server: ServerCommand): void {
  describe('answers', () => {
    const fixture = new Fixture(server);

    it('redis-cli shows the recorded transcript', async () => {
      const expected = readTranscript();
      const seen = await askAll(fixture.port, expected);
      expect(writeTranscript(seen)).to.equal(writeTranscript(expected));
    });

    wireCases(fixture);
  });
}

/** What goes over the wire, of a server that may have few commands. */
export function wireSuite(server: ServerCommand): void {
  describe('answers', () => {
    const fixture = new Fixture(server);

    wireCases(fixture);
    it('a client that sends too much reads why, before the connection is closed', async () => {
      const client = await fixture.connect();
      client.send(encode(['ECHO', 'x'.repeat(9_000_000)]));
      expect(await client.rest()).to.equal('-ERR Protocol error: invalid bulk length\r\n');
    });
  });
}

function wireCases(fixture: Fixture): void {
  for (const wire of readWireCases()) {
    it(wire.name, async () => {
      expect(await playWireCase(fixture.port, wire)).to.equal(expectedOf(wire));
    });
    it(`${wire.name}, sent byte by byte`, async () => {
      expect(await playWireCase(fixture.port, wire, true)).to.equal(expectedOf(wire));
    });
  }
}
