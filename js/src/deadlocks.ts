// Who waits for whom in circles, found in a snapshot: what only a deadline, a failure beside it or a cancel ends.
//
// - A line can't go on while it waits for a guard of which none of those that have it can, or, if all of them have to leave it, while one
//   can't. What isn't known counts as who can: a guard that lines of other tools have, too, or that nobody has.
// - One whose lines run can't while one of them can't, or, if the first that succeeds is enough, while all can't.

import type { FlowSnapshot, GuardSnapshot, LineSnapshot } from './isnapshot.js';
import { waitText } from './waittext.js';

interface Node {
  readonly flow: number;
  readonly path: string;
  readonly line: LineSnapshot;
  readonly inside: Node[];
  /** What waits for it. */
  readonly frees: Queue[];
  goesOn: boolean;
}

/** Those who wait for a guard, or the one that waits for its lines. */
interface Queue {
  readonly nodes: Node[];
  /** How many of what they wait for have to be able to go on before they are. */
  left: number;
}

const oneIsEnough = ['race', 'any', 'hedge'];

/** Each circle once, in words. */
export function deadlocksIn(
  flows: readonly FlowSnapshot[],
  guards: readonly GuardSnapshot[],
): string[] {
  const known = new Map(guards.map((guard) => [guard.id, guard]));
  const nodes = flows.flatMap(({ id, line }) => (line ? nodesOf(id, line) : []));
  const at = new Map(nodes.map((node) => [`${node.flow} ${node.path}`, node]));
  const holdersOf = ({ holders, active }: GuardSnapshot) => {
    const having = holders.map(({ flow, path }) => at.get(`${flow} ${path}`));
    return having.length === active && !having.includes(undefined) ? (having as Node[]) : [];
  };
  const guardOf = ({ line }: Node) => known.get(line.waits?.guard ?? 0);
  settle(nodes, guardOf, holdersOf);

  /** Why it can't go on. */
  const next = (node: Node): Node => {
    const guard = guardOf(node);
    return (guard ? holdersOf(guard) : node.inside).find(({ goesOn }) => !goesOn)!;
  };
  const seen = new Map<Node, Node>();
  return nodes.flatMap((first) => {
    if (first.goesOn) return [];
    let node = first;
    for (; !seen.has(node); node = next(node)) seen.set(node, first);
    if (seen.get(node) !== first) return [];
    const circle = [node];
    for (let of = next(node); of !== node; of = next(of)) circle.push(of);
    return [circleText(circle)];
  });
}

function nodesOf(flow: number, root: LineSnapshot): Node[] {
  const nodes: Node[] = [];
  const open: [line: LineSnapshot, around?: Node, frees?: Queue[]][] = [[root]];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [line, around, frees = []] = at;
    const { steps, lines } = line;
    const elements = [around?.path, ...steps.map(({ element }) => element)];
    const path = elements.filter(Boolean).join('/');
    const left = oneIsEnough.includes(steps.at(-1)?.kind ?? '') ? 1 : lines.length;
    const node: Node = { flow, path, line, inside: [], frees: [...frees], goesOn: false };
    const own = [{ nodes: [node], left }];
    around?.inside.push(node);
    nodes.push(node);
    for (let i = lines.length; i-- > 0;) open.push([lines[i]!, node, own]);
  }
  return nodes;
}

/** From those that can go on to those that wait for them. */
function settle(
  nodes: readonly Node[],
  guardOf: (node: Node) => GuardSnapshot | undefined,
  holdersOf: (guard: GuardSnapshot) => Node[],
): void {
  const first: Node[] = [];
  const going = [first];
  const queues = new Map<GuardSnapshot, Queue>();
  for (const node of nodes) {
    const guard = guardOf(node);
    if (guard === undefined) {
      if (node.line.waits !== undefined || node.inside.length === 0) first.push(node);
    } else {
      // While somebody reads nobody writes, and who reads waits behind who writes.
      const left = guard.kind === 'rwlock' ? guard.holders.length : 1;
      const queue = queues.get(guard) ?? { nodes: [], left };
      queue.nodes.push(node);
      queues.set(guard, queue);
    }
  }
  for (const [guard, queue] of queues) {
    const holders = holdersOf(guard);
    if (holders.length === 0) going.push(queue.nodes);
    for (const { frees } of holders) frees.push(queue);
  }
  for (const some of going) {
    for (const node of some) {
      if (node.goesOn) continue;
      node.goesOn = true;
      for (const queue of node.frees) if (--queue.left === 0) going.push(queue.nodes);
    }
  }
}

function circleText(circle: readonly Node[]): string {
  const placeOfNode = ({ flow, path }: Node) => `flow ${flow} at ${path}`;
  const links = circle.map(({ line: { waits } }, i) => {
    const next = circle[(i + 1) % circle.length]!;
    if (waits === undefined) return ` waits for ${next.path}`;
    return ` ${waitText(waits)}, held by ${placeOfNode(next)}`;
  });
  return `deadlock: ${placeOfNode(circle[0]!)}${links.join(', which')}`;
}
