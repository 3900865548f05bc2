// The one number of a step (and of a line) that says where it is: one phase bit, what its body left behind, its kind.
// Plain numbers, so that a question about several phases at once is one `&`. A flow has bits of its own, of which IDLE and INNER
// mean the same as a step's. The highest two are of rare steps, as such numbers are no small ones everywhere; else the order of kinds'
// bits is the one that packs best.

/** Phases of a step; exactly one is set. */
export const QUEUED = 1 << 0;
/** Its body is on the native stack. */
export const BODY = 1 << 1;
/** What its body returned has not settled yet; counts as body. */
export const AWAITING = 1 << 2;
export const WAITING = 1 << 3;
/** Its outcome came from outside and is performed in the line's next turn. */
export const CLAIMED = 1 << 4;
/** Sub-steps, iterations or branches run. */
export const INNER = 1 << 5;
export const HANDLER = 1 << 6;
export const CANCEL = 1 << 7;
export const CLOSED = 1 << 8;
/** Of a flow or a queued parallel step: it is being filled. */
export const IDLE = 1 << 9;

export const PHASES = (1 << 10) - 1;
/** Phases in which calls latch. */
export const LATCHING = BODY | AWAITING | HANDLER;
/** Phases of an owner (step or flow) that may add steps. */
export const ADDING = LATCHING | IDLE;
/** Phases in which an accessor may be used at all. */
export const VALID = LATCHING | WAITING;

/** What a body, handler or claim has left behind. */
export const OK = 1 << 10;
export const OK_TWICE = 1 << 11;
/** The failure itself is in the line's latch. */
export const FAIL = 1 << 12;
/** setTimeout, setCancel or waitExternal was called. */
export const WAIT = 1 << 13;
export const WAIT_EXTERNAL = 1 << 14;
export const LEFT = OK | OK_TWICE | FAIL | WAIT | WAIT_EXTERNAL;

/** What the engine asks a step's kind, see `kind`; a step without any of these has a plain body. */
export const OPENS = 1 << 19;
export const ROUNDS = 1 << 17;
export const FAILS = 1 << 31;
export const EXITS = 1 << 20;
export const HOSTS = 1 << 15;
/** Opening it costs no budget: no body is called then. */
export const FREE = 1 << 21;
/** The same of one that is open: an observer was told so, and hears of its end. */
export const TOLD = FREE;
/** A round of its parent: that one's work is its work, and calls its body; its values end with it. */
export const ROUND = 1 << 23;
/** Deferred functions were registered in it. */
export const DEFERS = 1 << 26;
/** What it awaits was there before it, and may be rejected before it opens. If it's left, that failure isn't told as its own. */
export const GIVEN = 1 << 27;
/** When it ends with ok its parent owes something; that counts as soon as it is claimed, though its line has not moved yet. */
export const OBLIGES = 1 << 18;
/** Its kind hears of it when it closes, in whatever way. */
export const OWED = 1 << 29;
/** A completion knows it, and is its work, once its body has been called. */
export const KNOWN = 1 << 24;
/** How the path shows it: as `#0`, `|0` or `|name`, `~0`, or not at all. Others have a name or a number. */
export const NUMBERED = 1 << 25;
export const BRANCH = 1 << 22;
/** A deferred function runs in it, in the cleanup of its parent. */
export const DEFERRED = 1 << 16;
export const HIDDEN = 1 << 28;
/** Its timer is a `Shelter`: an open shield, a step that stops what it has begun, or whose cleanup runs. */
export const SHELTERED = 1 << 30;
/** What a step that has its outcome may have to do before it closes, or when it does. */
export const DUE = OWED | DEFERS | SHELTERED;
/** What is more than to leave the chain when it closes. */
export const CLOSES = OBLIGES | OWED | DEFERRED | KNOWN | SHELTERED | TOLD;
/** What stays for good: the path is read from it even after the step has closed. */
export const FOREVER = ~(PHASES | LEFT);
/** The same of one that opens. */
export const OPENED = FOREVER & ~FREE;

/** Of a flow: user code of it is on the native stack, so the tree may not be moved from outside. */
export const BUSY = 1 << 3;
/** Of a flow: cancel was asked for and is performed as soon as that is possible, or right now. */
export const LATCHED = 1 << 0;
/** Of a flow: it has a context, which isn't entered now. */
export const KEPT = 1 << 4;
/** Of a flow: its cancel is performed, or waits for what is sheltered. */
export const CANCELLING = 1 << 7;
/** Of a flow: its tool keeps it alive, as nothing else may. */
export const LIVE = 1 << 12;
/** Of a flow that is idle: it stands in its tool's queue to tell of its end. */
export const TELLS = 1 << 11;
/** Of a flow: somebody observes its tool. */
export const OBSERVED = 1 << 13;
/** Of a queued step: it stands in a step value, for all runs of that, and is never changed. */
export const SHARED = OK_TWICE;
/** Of a flow that has the turn: its tool is attentive. */
export const ATTENTIVE = 1 << 10;
