// A snapshot as lines of a trace.

import type { FlowSnapshot, LineSnapshot, Snapshot, WaitSnapshot } from 'steptree';

export function linesOf({ flows, guards }: Snapshot): string[] {
  const names = new Map(flows.map(({ id, name }) => [id, name]));
  const said = guards.map(({ kind, name, waiting, active, available, holders }) => {
    const held = holders.map(({ flow, path }) => `${names.get(flow)} ${path}`.trimEnd());
    return [
      titled(kind, name),
      `waiting=${waiting}`,
      ...(active === undefined ? [] : [`active=${active}`]),
      ...(available === undefined ? [] : [`available=${available}`]),
      ...(held.length === 0 ? [] : [`held=${held.join(',')}`]),
    ].join(' ');
  });
  return [...flows.flatMap(linesOfFlow), ...said];
}

export function linesOfFlow({ name, state, signal, deadline, line }: FlowSnapshot): string[] {
  const until = deadline === undefined ? '' : ` deadline=${deadline}`;
  const said = [`${name} ${state}${signal ? ' signal' : ''}${until}`];
  return line === undefined ? said : [...said, ...waitsIn(line, name, '')];
}

function waitsIn({ steps, waits, lines }: LineSnapshot, name: string, above: string): string[] {
  const path = [above, ...steps.map(({ element }) => element)].filter((at) => at !== '').join('/');
  const last = steps.at(-1);
  const limit = last?.timeout === undefined ? '' : ` timeout=${last.timeout}`;
  const where = [name, path, last?.kind ?? ''].filter((word) => word !== '').join(' ');
  const own = waits === undefined ? [] : [`${where}${limit}: ${waitText(waits)}`];
  return [...own, ...lines.flatMap((line) => waitsIn(line, name, path))];
}

export function waitText({ for: what, ms, kind, name, place }: WaitSnapshot): string {
  if (what === 'timer') return `timer ${ms ?? 'Infinity'}`;
  if (what === 'send' || what === 'receive') return titled(what, name);
  return [titled(kind === undefined ? what : `${what} ${kind}`, name), place ?? '']
    .join(' ')
    .trimEnd();
}

function titled(kind: string, name = ''): string {
  return name === '' ? kind : `${kind} ${JSON.stringify(name)}`;
}
