// Events on channels of Node's `diagnostics_channel`, while somebody subscribes.
//
// - Nobody tells when somebody subscribes. So the tool has a watcher that is asked when a flow is executed only: it looks, and observes
//   from then on, till an event that nobody would hear.

import type { AsyncSteps } from './asyncsteps.js';
import { badArgument, misuse } from './error.js';
import type { FlowEvent } from './ievent.js';
import { observe, Watch } from './observe.js';
import { type Handle, ToolCore } from './toolcore.js';
import type { Watcher, Within } from './tree.js';

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface Process {
  getBuiltinModule?(name: string): { channel(name: string): Channel };
}

const nothing = (): void => {};

/**
 * Publishes the events of the tool's flows, those of `observe`, on channels of Node's `diagnostics_channel`, until the handle is cancelled:
 * `begun` and `ended` on `steptree:flow`, the others on `steptree:step`. While nobody subscribes nothing is observed, and nothing is paid;
 * then from the next flow on that is executed. An event is good for the time of the call. What is no tool, and where there are no such
 * channels: `InternalError`. Guide: docs/production.md#what-others-subscribe-to
 *
 *     publishEvents(defaultTool);
 */
export function publishEvents(tool: ToolCore): Handle {
  if (!ToolCore.is(tool)) badArgument('publishEvents', 'a tool', tool);
  const publisher = publisherOf(tool);
  publisher.wanted++;
  let valid = true;
  return {
    cancel: () => {
      if (valid && --publisher.wanted === 0) publisher.end();
      valid = false;
    },
    valid: () => valid,
  };
}

/** The tool has one, however many ask for it. */
const publishers = /* @__PURE__ */ new WeakMap<ToolCore, Publisher>();

function publisherOf(tool: ToolCore): Publisher {
  const known = publishers.get(tool);
  if (known !== undefined) return known;
  const { process } = globalThis as { process?: Process };
  const channels = process?.getBuiltinModule?.('diagnostics_channel');
  if (channels === undefined) throw misuse('publishEvents: expected Node');
  const { watching } = tool;
  const [flow, step] = ['steptree:flow', 'steptree:step'].map((name) => channels.channel(name));
  const publisher = new Publisher(tool, flow!, step!);
  if (watching instanceof Watch) watching.before = publisher;
  else tool.watching = publisher;
  publishers.set(tool, publisher);
  return publisher;
}

class Publisher implements Watcher {
  /** By so many. */
  wanted = 0;
  private readonly tool: ToolCore;
  private readonly flow: Channel;
  private readonly step: Channel;
  private observing: Handle | null = null;

  constructor(tool: ToolCore, flow: Channel, step: Channel) {
    this.tool = tool;
    this.flow = flow;
    this.step = step;
  }

  /** Somebody may have subscribed since the last one. */
  begun(flow: AsyncSteps): void {
    if (this.observing !== null || !this.isHeard()) return;
    const { watching } = this.tool;
    this.observing = observe(this.tool, (event) => this.tell(event));
    if (watching === this) this.tool.watching!.begun(flow);
  }

  turn = nothing;
  turned = nothing;
  body = nothing;
  returned = nothing;
  handler = nothing;
  cancel = nothing;
  closed = nothing;
  ended = nothing;
  within: Within = (_step, call, a, b, c, d) => call(a!, b!, c!, d!);

  end(): void {
    const { tool } = this;
    this.stop();
    publishers.delete(tool);
    const { watching } = tool;
    if (watching === this) tool.watching = null;
    else if (watching instanceof Watch) watching.before = null;
  }

  private isHeard(): boolean {
    return this.flow.hasSubscribers || this.step.hasSubscribers;
  }

  private tell(event: FlowEvent): void {
    const { what } = event;
    const channel = what === 'begun' || what === 'ended' ? this.flow : this.step;
    if (channel.hasSubscribers) channel.publish(event);
    else if (!this.isHeard()) this.stop();
  }

  private stop(): void {
    this.observing?.cancel();
    this.observing = null;
  }
}
