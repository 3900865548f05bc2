// The numbers that a loop is told by. A file without imports, so that the compiler puts the numbers themselves into the code.

/** What there is to repeat. EACH becomes one of those after it when the loop starts. */
export const ENDLESS = 0;
export const COUNT = 1;
export const EACH = 2;
export const LIST = 3;
export const KEYS = 4;
export const ITEMS = 5;
export const ENTRIES = 6;
export const STREAM = 7;
/** A channel. */
export const PIPE = 8;

/** The limit of a loop that has not started. */
export const NOT_STARTED = -1;
