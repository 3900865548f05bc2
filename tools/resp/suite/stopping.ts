import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerProcess, type Statistics } from '../serverprocess.js';
import type { ServerCommand } from '../servers.js';
import { WireClient } from '../wireclient.js';

const text = 'x'.repeat(8_000_000);

/** A server with a client who takes nothing of his reply, which is more than sockets hold. */
async function startUnread(server: ServerCommand, lingerMs: number, drainMs: number) {
  const limits = ['--lingerMs', String(lingerMs), '--drainMs', String(drainMs)];
  const process = await ServerProcess.start(server, limits);
  const client = await WireClient.connect(process.port);
  client.stopReading();
  client.command('ECHO', text);
  const control = await WireClient.connect(process.port);
  for (let asked = 0, requests = 0; requests <= asked;) {
    control.command('STEPTREE.STATS');
    asked += 1;
    ({ requests } = JSON.parse(await control.takeBulk()) as Statistics);
  }
  return { process, client };
}

/** A server that is told to stop answers what runs, within a time, whatever its clients do. */
export function stoppingSuite(server: ServerCommand): void {
  describe('stopping', () => {
    for (const how of ['SIGTERM', 'stdin'] as const) {
      it(`it stops in good order (${how})`, async () => {
        const process = await ServerProcess.start(server, ['--drainMs', '50']);
        const idle = await WireClient.connect(process.port);
        const blocked = await WireClient.connect(process.port);
        const half = await WireClient.connect(process.port);
        half.send('*1\r\n$4');
        blocked.command('BLPOP', 'queue', '0');
        idle.command('SET', 'key', 'x', 'EX', '1000');
        await idle.take(5);
        const last = await process.stop(how);
        expect(last).to.include({ accepted: 3, cancelled: 1, connections: 0, flowsAlive: 0 });
        expect(last).to.include({ waiters: 0, failed: 0, timers: 0 });
        for (const client of [idle, blocked, half]) expect(await client.rest()).to.equal('');
      });
    }
    it('a command that runs is answered, and nothing after it', async () => {
      const process = await ServerProcess.start(server, ['--drainMs', '20000']);
      const client = await WireClient.connect(process.port);
      const idle = await WireClient.connect(process.port);
      client.command('SET', 'key', 'x');
      await client.take(5);
      client.command('STEPTREE.SLEEP', '0.3');
      client.command('SET', 'key', 'y');
      await delay(100);
      const last = process.stop('SIGTERM');
      expect(await client.rest()).to.equal('+OK\r\n');
      expect(await idle.rest()).to.equal('');
      expect(await last).to.include({ requests: 2, cancelled: 0, flowsAlive: 0, failed: 0 });
    });
    it('a command that lasts too long is cancelled', async () => {
      const process = await ServerProcess.start(server, ['--drainMs', '100']);
      const client = await WireClient.connect(process.port);
      client.command('STEPTREE.SLEEP', '4');
      await delay(100);
      const begun = Date.now();
      const last = process.stop('SIGTERM');
      expect(await client.rest()).to.equal('');
      expect(await last).to.include({ requests: 1, cancelled: 1, flowsAlive: 0, timers: 0 });
      expect(Date.now() - begun).to.be.within(90, 3000);
    });
    it('who comes while it stops does not hold it', async () => {
      for (let i = 0; i < 5; i += 1) {
        const process = await ServerProcess.start(server);
        const coming = Array.from({ length: 50 }, () => WireClient.connect(process.port));
        await coming[i];
        const last = process.stop('stdin');
        const clients = await Promise.allSettled(coming);
        expect(await last).to.include({ connections: 0, flowsAlive: 0 });
        for (const client of clients) if (client.status === 'fulfilled') client.value.kill();
      }
    });
    it('who is still reading gets all that he was answered', async () => {
      const { process, client } = await startUnread(server, 5000, 5000);
      const last = process.stop();
      await delay(100);
      client.resumeReading();
      expect(await client.rest()).to.equal(`$${text.length}\r\n${text}\r\n`);
      expect(await last).to.include({ cancelled: 0, flowsAlive: 0 });
    });
    it('who does not read is left after a while', async () => {
      const { process, client } = await startUnread(server, 200, 100);
      expect(await process.stop()).to.include({ cancelled: 1, flowsAlive: 0 });
      client.kill();
    });
    it('it refuses options that it does not know', () => {
      const { status, stderr } = spawnSync(server.command, [...server.args, '--nonsense', '1']);
      expect({ status, stderr: String(stderr) }).to.deep.equal({
        status: 2,
        stderr: 'unknown option --nonsense\n',
      });
    });
    it('it refuses a period of nothing', () => {
      const options = ['--serverPeriodMs', '0'];
      const { status, stderr } = spawnSync(server.command, [...server.args, ...options]);
      expect({ status, stderr: String(stderr) }).to.deep.equal({
        status: 2,
        stderr: '--serverPeriodMs needs a number above 0\n',
      });
    });
    it('it refuses options without a number', () => {
      const { status, stderr } = spawnSync(server.command, [...server.args, '--port']);
      expect({ status, stderr: String(stderr) }).to.deep.equal({
        status: 2,
        stderr: '--port needs a number\n',
      });
    });
  });
}
