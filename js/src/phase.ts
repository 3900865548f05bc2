// The one number of a step (and of a line) that says where it is: one phase bit, what its body left behind, its kind.
// Plain numbers, so that a question about several phases at once is one `&`. A flow has bits of its own, of which IDLE and INNER
// mean the same as a step's.

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

/** Kinds; a step without one has a plain body. */
export const LOOP = 1 << 15;
/** Lines run inside. */
export const HOSTS = 1 << 16;
export const AWAIT = 1 << 17;
export const RELINQUISH = 1 << 18;
export const RETRY = 1 << 26;
export const DELAY = 1 << 28;
/** Kinds without a body of their own: opening them is free of budget. */
export const FREE = LOOP | HOSTS | AWAIT | RELINQUISH | DELAY | RETRY;
/** A section that is not locked yet; then it is a step with a plain body. */
export const SECTION = 1 << 22;
/** Kinds that open in a way of their own. */
const BODILESS = FREE | SECTION;
export const ITERATION = 1 << 19;
/** A step with a body, of a retry. */
export const ATTEMPT = 1 << 27;
/** The outermost step of a branch. */
export const BRANCH = 1 << 20;
/** The step in which a section's lock runs: no element of the path. */
export const LOCK = 1 << 23;
/** Something is to be done when the step closes, in whatever way. */
export const OWED = 1 << 24;
/** A completion knows it, and is its work, once its body has been called. */
export const KNOWN = 1 << 21;
/** Its work is asked to stop what it has begun when the step is left. */
export const EXITS = 1 << 25;
/** Its timer is a `Shelter`: a shield step, or one whose cleanup runs. Of a queued step: it is a shield. */
export const SHELTERED = 1 << 30;
/** The step in which a deferred function runs. */
export const DEFERRED = 1 << 31;
/** Steps with a body that open in a way of their own. */
export const SHELTERING = SHELTERED | DEFERRED;
/** Kinds that don't open as a plain step. */
export const SPECIAL = BODILESS | SHELTERING;
/** What is more than to leave the chain when it closes. */
export const CLOSES = LOCK | OWED | DEFERRED | KNOWN;
/** What stays for good: the path is read from it even after the step has closed. */
export const FOREVER = SPECIAL | ITERATION | ATTEMPT | BRANCH | EXITS | CLOSES;

/** Of a flow: user code of it is on the native stack, so the tree may not be moved from outside. */
export const BUSY = 1 << 3;
/** Of a flow: cancel was asked for and is performed as soon as that is possible, or right now. */
export const LATCHED = 1 << 0;
/** Of a flow: it has a context, which isn't entered now. */
export const KEPT = 1 << 4;
/** Of a flow: its cancel is performed, or waits for what is sheltered. */
export const CANCELLING = 1 << 7;
/** Of a flow that has the turn: its tool is attentive. */
export const ATTENTIVE = 1 << 10;
