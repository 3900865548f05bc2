// What another thread reads while the tool's can't answer: the turn or body that runs, in memory that both threads have.
//
// - For an inspector the tool's thread writes numbers only. The texts that they stand for are sent when they are first used, which
//   arrives at once. There are not many of them; who needs any text writes it itself.

/** The places in it: when the turn began (0: none runs), its flow, and the numbers of that one's name and of the step's path. */
export const BEGAN = 0;
export const FLOW = 1;
export const NAME = 2;
export const PATH = 3;
const WORDS = 4;

export function heldMemory(): Float64Array {
  return new Float64Array(new SharedArrayBuffer(WORDS * Float64Array.BYTES_PER_ELEMENT));
}

/** So many characters. */
const ROOM = 1000;

/** For one text: how long it is, then its characters. */
export function heldText(): Uint16Array {
  return new Uint16Array(new SharedArrayBuffer((1 + ROOM) * Uint16Array.BYTES_PER_ELEMENT));
}

/** Of a longer one the beginning. */
export function writeText(words: Uint16Array, text: string): void {
  const length = Math.min(text.length, ROOM);
  for (let i = 0; i < length; i++) words[i + 1] = text.charCodeAt(i);
  words[0] = length;
}

/** So many texts are known by number; others by none. */
const MOST = 4000;

/** Texts by numbers, from 1 on; 0 is unknown. */
export class Texts {
  readonly #numbers = new Map<string, number>();
  readonly #send: (number: number, text: string) => void;

  constructor(send: (number: number, text: string) => void) {
    this.#send = send;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    if (number > MOST) return 0;
    this.#numbers.set(text, number);
    this.#send(number, text);
    return number;
  }
}
