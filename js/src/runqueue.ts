// The queue of a tool: lines and immediates, first in, first out, each at most once.
//
//      head             tail                 A ring of 2^n cells. A node knows its place, so it can be taken out at once:
//       v                 v                  its cell stays empty and is skipped.
//     [ a | - | b | c | d |   |   |   ]
//
// The cell before the head has the one that was taken out last, until the next is asked for: so it's known what has the turn.
// Places only grow (and wrap far beyond any length), so a place also tells what stood in the queue at a certain moment.

export interface QueueNode {
  /** Its place; -1 when it isn't queued. */
  slot: number;
  /** Of what is no line: an order leaves these as they stand. */
  readonly isCallback?: boolean;
  turn(): void;
}

const SMALLEST = 64;
const WRAP = 0x3fffffff;

export class RunQueue {
  #cells: (QueueNode | null)[] = new Array(SMALLEST).fill(null);
  #mask = SMALLEST - 1;
  #head = 0;
  /** The place that the next node gets. */
  tail = 0;

  push(node: QueueNode): void {
    const { tail } = this;
    const next = (tail + 1) & WRAP;
    if (((next - this.#head) & WRAP) > this.#mask) this.#resize(2 * this.#mask + 2);
    node.slot = tail;
    this.#cells[tail & this.#mask] = node;
    this.tail = next;
  }

  /** Puts a node at the head, where the one that was taken out last has left its cell. */
  unshift(node: QueueNode): void {
    const head = (this.#head - 1) & WRAP;
    if (((this.tail - head) & WRAP) > this.#mask) this.#resize(2 * this.#mask + 2);
    node.slot = this.#head = head;
    this.#cells[node.slot & this.#mask] = node;
  }

  /** Another one takes a node's place. */
  replace(node: QueueNode, by: QueueNode): void {
    by.slot = node.slot;
    node.slot = -1;
    this.#cells[by.slot & this.#mask] = by;
  }

  remove(node: QueueNode): void {
    this.#cells[node.slot & this.#mask] = null;
    node.slot = -1;
  }

  /** Takes the first node, or null; only one that stood before the place `end`. */
  shift(end = this.tail): QueueNode | null {
    let head = this.#head;
    while (head !== end) {
      const at = head & this.#mask;
      const node = this.#cells[at]!;
      head = (head + 1) & WRAP;
      if (node !== null) {
        this.#cells[(this.#head - 1) & this.#mask] = null;
        this.#head = head;
        node.slot = -1;
        return node;
      }
    }
    this.#cells[(this.#head - 1) & this.#mask] = null;
    this.#head = head;
    if (head === this.tail && this.#mask >= 4096) this.#resize(SMALLEST);
    return null;
  }

  /** Whether a node stands before that place, which isn't before the head. */
  hasBefore(end: number): boolean {
    for (let at = this.#head; at !== end; at = (at + 1) & WRAP) {
      if (this.#cells[at & this.#mask] !== null) return true;
    }
    return false;
  }

  /** Everything has been taken out; what was removed last may still count. */
  isEmpty(): boolean {
    return this.#head === this.tail;
  }

  /** The one that was taken out last, if none was asked for since; then those that stand in it, in order. */
  *nodes(): Iterable<QueueNode> {
    const taken = this.#cells[(this.#head - 1) & this.#mask];
    if (taken && taken.slot < 0) yield taken;
    for (let at = this.#head; at !== this.tail; at = (at + 1) & WRAP) {
      const node = this.#cells[at & this.#mask];
      if (node) yield node;
    }
  }

  #resize(size: number): void {
    const cells = this.#cells;
    const mask = this.#mask;
    this.#cells = new Array(size).fill(null);
    this.#mask = size - 1;
    for (let at = (this.#head - 1) & WRAP; at !== this.tail; at = (at + 1) & WRAP) {
      this.#cells[at & this.#mask] = cells[at & mask]!;
    }
  }
}
