// What the last 30 seconds were like, in pieces of 250 ms. A ring: a piece is emptied when its time comes.

import type { Timeline } from './imessages.js';

const MS = 250;
const COUNT = 120;

class Piece {
  begun = 0;
  ended = 0;
  failed = 0;
  busy = 0;
  longest = 0;
}

export class Lately {
  #pieces = Array.from({ length: COUNT }, () => new Piece());
  /** The number of the newest one. */
  #last = 0;

  /** That of now. Those in which nothing happened are emptied on the way. */
  at(now: number): Piece {
    const number = Math.floor(now / MS);
    if (number > this.#last) {
      const first = Math.max(this.#last + 1, number - COUNT + 1);
      for (let i = first; i <= number; i++) this.#pieces[i % COUNT] = new Piece();
      this.#last = number;
    }
    return this.#pieces[this.#last % COUNT]!;
  }

  /** A turn that took so long, in each piece that it was in. */
  turn(began: number, now: number): void {
    this.at(now);
    const ms = now - began;
    const last = Math.floor(now / MS);
    for (let i = Math.max(Math.floor(began / MS), last - COUNT + 1); i <= last; i++) {
      const piece = this.#pieces[i % COUNT]!;
      piece.busy += Math.min(now, (i + 1) * MS) - Math.max(began, i * MS);
      piece.longest = Math.max(piece.longest, ms);
    }
  }

  timeline(now: number): Timeline {
    this.at(now);
    const inOrder = Array.from(
      { length: COUNT },
      (_, i) => this.#pieces[(this.#last + 1 + i) % COUNT]!,
    );
    const tenths = (ms: number) => Math.round(ms * 10) / 10;
    return {
      ms: MS,
      begun: inOrder.map(({ begun }) => begun),
      ended: inOrder.map(({ ended }) => ended),
      failed: inOrder.map(({ failed }) => failed),
      busy: inOrder.map(({ busy }) => tenths(busy)),
      longest: inOrder.map(({ longest }) => tenths(longest)),
    };
  }
}
