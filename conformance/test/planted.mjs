// Two implementations of nothing: the trace of a program is the ids of its steps. One has the bug that its argument names.
import { createInterface } from 'node:readline';

const [bug] = process.argv.slice(2);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, case: program } = JSON.parse(line);
  const text = JSON.stringify(program.flows);
  const trace = [...text.matchAll(/"(?:step|race|parallel)":"([^"]*)"/g)].map(([, step]) => step);
  if (bug === 'crash' && text.includes('"race"')) process.exit(3);
  if (bug === 'hang' && text.includes('"race"'))
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (bug === 'wrong' && /"parallel".*"setCancel"/.test(text)) trace.push('too much');
  trace.push('truncated'); // So that nobody asks whether it makes sense.
  console.log(JSON.stringify({ id, trace }));
}
