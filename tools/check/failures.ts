/** What of the output of a command that has failed says why. */

const mostLines = 80;

/** mocha's list of what failed, from its first line; else the last lines. */
export function failures(output: string): string {
  const text = output.trimEnd();
  const list = [...text.matchAll(/^ *\d+ failing$/gm)].at(-1);
  const lines = text.slice(list?.index ?? 0).split('\n');
  return (list ? lines.slice(0, mostLines) : lines.slice(-mostLines)).join('\n');
}
