// An hour in virtual time
import { retry, run, VirtualTool } from 'steptree';

const tool = new VirtualTool({ seed: 7 });

const backoff = { base: 1000, factor: 2, cap: 600_000 };
const asked = retry({ max: Infinity, backoff }, (asi, attempt: number): string => {
  console.log(`${tool.now()} ms: attempt ${attempt}`);
  return asi.error('ECONNREFUSED');
})
  .timeout(3_600_000)
  .onError((asi, code) => {
    asi.success(`${code}: given up after ${tool.now()} ms`); // the next one would come too late
  });

const answer = run(asked, { tool });
await tool.run();
console.log(await answer);
