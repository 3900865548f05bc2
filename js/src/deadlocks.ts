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
  readonly around: Node | undefined;
  readonly inside: Node[];
  /** How many of those inside have to be able to go on before it is. */
  left: number;
  goesOn: boolean;
}

/** Those who wait for a guard. */
interface Queue {
  nodes: Node[];
  /** How many of those that have it have to be able to go on before these are. */
  left: number;
}

const oneIsEnough = ['race', 'any', 'hedge'];
/** While somebody reads nobody writes, and who reads waits behind who writes. */
const allHaveToLeave = ['rwlock'];

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

  const next = (node: Node): Node | undefined => {
    const guard = guardOf(node);
    return (guard ? holdersOf(guard) : node.inside).find(({ goesOn }) => !goesOn);
  };
  const seen = new Map<Node, Node>();
  return nodes.flatMap((first) => {
    let node: Node | undefined = first.goesOn ? undefined : first;
    for (; node !== undefined && !seen.has(node); node = next(node)) seen.set(node, first);
    if (node === undefined || seen.get(node) !== first) return [];
    const circle = [node];
    for (let of = next(node)!; of !== node; of = next(of)!) circle.push(of);
    return [circleText(circle, guardOf)];
  });
}

function nodesOf(flow: number, root: LineSnapshot): Node[] {
  const nodes: Node[] = [];
  const open: [LineSnapshot, Node | undefined][] = [[root, undefined]];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [line, around] = at;
    const { steps, lines } = line;
    const path = [around?.path ?? '', ...steps.map(({ element }) => element)];
    const left = oneIsEnough.includes(steps.at(-1)?.kind ?? '') ? 1 : lines.length;
    const whole = path.filter((element) => element !== '').join('/');
    const node: Node = { flow, path: whole, line, around, inside: [], left, goesOn: false };
    around?.inside.push(node);
    nodes.push(node);
    for (let i = lines.length; i-- > 0;) open.push([lines[i]!, node]);
  }
  return nodes;
}

/** From those that can go on to those that wait for them. */
function settle(
  nodes: readonly Node[],
  guardOf: (node: Node) => GuardSnapshot | undefined,
  holdersOf: (guard: GuardSnapshot) => Node[],
): void {
  const going: Node[] = [];
  const queues = new Map<GuardSnapshot, Queue>();
  for (const node of nodes) {
    const guard = guardOf(node);
    if (guard === undefined) {
      if (node.line.waits !== undefined || node.inside.length === 0) going.push(node);
    } else if (queues.has(guard)) {
      queues.get(guard)!.nodes.push(node);
    } else {
      queues.set(guard, { nodes: [node], left: 1 });
    }
  }
  const freedBy = new Map<Node, Queue[]>();
  for (const [guard, queue] of queues) {
    const holders = holdersOf(guard);
    if (holders.length === 0) going.push(...queue.nodes);
    if (allHaveToLeave.includes(guard.kind)) queue.left = holders.length;
    for (const holder of holders) freedBy.set(holder, [...(freedBy.get(holder) ?? []), queue]);
  }
  for (let node = going.pop(); node !== undefined; node = going.pop()) {
    if (node.goesOn) continue;
    node.goesOn = true;
    const { around } = node;
    if (around !== undefined && --around.left === 0) going.push(around);
    for (const queue of freedBy.get(node) ?? []) if (--queue.left === 0) going.push(...queue.nodes);
  }
}

function circleText(
  circle: readonly Node[],
  guardOf: (node: Node) => GuardSnapshot | undefined,
): string {
  const placeOfNode = ({ flow, path }: Node) => `flow ${flow} at ${path}`;
  const links = circle.map((node, i) => {
    const next = circle[(i + 1) % circle.length]!;
    const guard = guardOf(node);
    if (guard === undefined) return ` waits for ${next.path}`;
    return ` ${waitText(node.line.waits!)}, held by ${placeOfNode(next)}`;
  });
  return `deadlock: ${placeOfNode(circle[0]!)}${links.join(', which')}`;
}
