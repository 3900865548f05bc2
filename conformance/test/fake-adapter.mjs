// An adapter that behaves as the name of the case says.
import { createInterface } from 'node:readline';

if (process.argv.includes('--dead')) {
  console.error('no such library');
  process.exit(1);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, case: program } = JSON.parse(line);
  const answer = (fields) => console.log(JSON.stringify({ id, ...fields }));
  if (program.case.includes('crash')) {
    console.error('panic: out of luck');
    process.exit(3);
  } else if (program.case.includes('hang')) {
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  } else if (program.case.includes('garbage')) console.log('hello there');
  else if (program.case.includes('other id'))
    console.log(JSON.stringify({ id: id + 1, trace: [] }));
  else if (program.case.includes('refuse')) answer({ error: 'unknown action dance' });
  else if (program.case.includes('wrong')) answer({ trace: ['a', 'main error X'] });
  else if (program.case.includes('large')) answer({ trace: ['main error OutOfSteps'] });
  else if (program.case.includes('unfit')) answer({ unfit: 'it has no steps' });
  else if (program.case.includes('values'))
    answer({ trace: ['main ok'], share: { steps: 3, values: 2, bodies: 1 } });
  else if ('trace' in program) answer({ error: 'the case tells the trace' });
  else answer({ trace: ['main ok'] });
}
if (process.argv.includes('--leaks')) {
  console.error('4 bytes leaked');
  process.exitCode = 23;
}
