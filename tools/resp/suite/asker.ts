import { expect } from 'chai';
import type { Fixture } from './fixture.js';

/** Asks a server one thing after the other, on connections of its own. */
export function asker(fixture: Fixture) {
  /** The reply, with all its bytes. */
  const ask = async (...command: string[]): Promise<string> => {
    const client = await fixture.connect();
    client.command(...command);
    const reply = await client.takeReply();
    client.kill();
    return reply;
  };
  const expectReplies = async (rows: readonly (readonly [string[], string | RegExp])[]) => {
    for (const [command, expected] of rows) {
      const reply = await ask(...command);
      if (typeof expected === 'string') expect(reply, command.join(' ')).to.equal(expected);
      else expect(reply, command.join(' ')).to.match(expected);
    }
  };
  return { ask, expectReplies };
}
