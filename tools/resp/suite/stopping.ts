import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { ServerProcess } from '../serverprocess.js';
import type { ServerCommand } from '../servers.js';
import { WireClient } from '../wireclient.js';

/** A server that is told to stop stops at once, whatever its clients do. */
export function stoppingSuite(server: ServerCommand): void {
  describe('stopping', () => {
    for (const how of ['SIGTERM', 'stdin'] as const) {
      it(`it stops in good order (${how})`, async () => {
        const process = await ServerProcess.start(server);
        const idle = await WireClient.connect(process.port);
        const blocked = await WireClient.connect(process.port);
        const half = await WireClient.connect(process.port);
        half.send('*1\r\n$4');
        blocked.command('BLPOP', 'queue', '0');
        idle.command('SET', 'key', 'x', 'EX', '1000');
        await idle.take(5);
        const last = await process.stop(how);
        expect(last).to.include({ accepted: 3, connections: 0, flowsAlive: 0, waiters: 0 });
        for (const client of [idle, blocked, half]) expect(await client.rest()).to.equal('');
      });
    }
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
