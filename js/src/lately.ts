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
