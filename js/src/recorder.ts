// The last events of a tool, in memory that is taken once: what is asked for is made of that.

import { exact } from './clock.js';
import { badArgument, checkBoolean, checkOptions } from './error.js';
import type { RecordedEvent } from './irecording.js';
import { watchOf } from './observe.js';
import { eventText } from './recordtext.js';
import { Ring } from './ring.js';
import { type Handle, ToolCore } from './toolcore.js';
import { checkLimit } from './waiters.js';
import type { Place } from './ways.js';

/** Of a `FlightRecorder`. */
export interface RecorderOptions {
  /** How many it keeps, 1 to 2^20. Default: 4096. */
  events?: number | undefined;
  /** Whether it has those of bodies, too: before each is called, and when it has returned. Default: `false`. */
  bodies?: boolean | undefined;
}

const MOST = 2 ** 20;

/**
 * Keeps the last events of a tool's flows, from now on: what they did is known when somebody asks. Its memory is taken when it's made and
 * doesn't grow; each event costs some hundred nanoseconds. What is no tool, and a bad option: `InternalError`.
 * Guide: docs/hangs.md#what-happened-before
 *
 *     const recorder = new FlightRecorder(defaultTool);
 *     console.log(recorder.text());
 */
export class FlightRecorder implements Handle {
  readonly #tool: ToolCore;
  readonly #watch: ReturnType<typeof watchOf>;
  readonly #ring: Ring;
  /** When it ended. */
  #until = 0;
  /** Of steps that were open then. */
  #left: ReadonlyMap<number, Place> | null = null;

  /** Begins at once. Guide: docs/hangs.md#what-happened-before */
  constructor(tool: ToolCore, options: RecorderOptions = {}) {
    if (!ToolCore.is(tool)) badArgument('FlightRecorder', 'a tool', tool);
    const { events = 4096, bodies = false } = checkOptions(
      'FlightRecorder',
      options,
      'events bodies',
    );
    checkLimit('FlightRecorder: events', events, 1);
    if (events > MOST) badArgument('FlightRecorder: events', 'at most 2^20', events);
    checkBoolean('FlightRecorder: bodies', bodies);
    this.#tool = tool;
    this.#ring = new Ring(events, bodies);
    this.#watch = watchOf(tool);
    this.#watch.addSink(this.#ring);
  }

  /** What it has, the oldest first. It's plain data, as `spec/recording.schema.json` says. */
  events(): RecordedEvent[] {
    return this.#ring.events(this.#left ?? this.#watch.openSteps());
  }

  /** The same, a line for each: when, which flow, where, what. Nothing: `''`. */
  text(): string {
    return this.events().map(eventText).join('\n');
  }

  /**
   * The same as JSON in the Trace Event Format, for a viewer of traces: ui.perfetto.dev, chrome://tracing. Flows are its tracks, steps and
   * waits its slices; what is open ends with the call.
   */
  trace(): string {
    const until = this.#left === null ? this.#tool.now(exact) : this.#until;
    return this.#ring.trace(this.#left ?? this.#watch.openSteps(), until);
  }

  /** It records no more, and keeps what it has. */
  cancel(): void {
    if (this.#left !== null) return;
    this.#until = this.#tool.now(exact);
    this.#left = this.#ring.around(this.#watch.openSteps());
    this.#watch.removeSink(this.#ring);
  }

  /** Whether it records. */
  valid(): boolean {
    return this.#left === null;
  }
}
