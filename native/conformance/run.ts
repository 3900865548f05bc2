// Runs a program whose steps of the name `native` are a plug-in's. The rest is JavaScript's, and so is the trace: the plug-in's lines come
// into it behind each call of native code, within which no time passes.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { step, VirtualTool } from 'steptree';
import { bodyOf, formOf, handled } from '../../js/conformance/forms.js';
import { type Answer, type Case, runOnce } from '../../js/conformance/run.js';
import { visitCase } from '../../js/conformance/visit.js';
import { type Action, type Form, World } from '../../js/conformance/world.js';
import { builtPlugin } from '../test/plugin.js';
import { bodyOf as callOf } from '../ts/calls.js';
import { counts, load, offer, useTool } from '../ts/index.js';
import { native } from '../ts/native.js';

type NativeForm = { step: string; name: string; do?: Action[]; catch?: Action[] };

/** With all of the adapter in C but its main program. */
function sources(): string[] {
  const inC = fileURLToPath(new URL('../../cpp/cabi/conformance', import.meta.url));
  const names = readdirSync(inC).filter((name) => name.endsWith('.c') && name !== 'adapter.c');
  const own = fileURLToPath(new URL('mixed.c', import.meta.url));
  return [`-I${inC}`, own, ...names.map((name) => `${inC}/${name}`)];
}

const lines = Buffer.from(new ArrayBuffer(4 * 2 ** 20));
const sizes = new BigUint64Array(lines.buffer, 0, 3);

let current: MixedWorld | null = null;

export async function loadMixed(): Promise<void> {
  useTool(new VirtualTool());
  await load(builtPlugin('mixed', sources()));
  offer(
    'js',
    step((asi, id: string) => current!.bodyOf(id)(asi) as any),
  );
  for (const name of ['call', 'cancel', 'pump', 'served'] as const) {
    const own = native[name] as (...args: any[]) => any;
    native[name] = (...args: any[]) => {
      const result = own(...args);
      current?.drain();
      return result;
    };
  }
}

/** Calls a handler that ends at once. */
function told(handler: string, ...values: unknown[]): any {
  const ended = [1];
  const world = current;
  current = null;
  const result = native.call(ended, native.handler('mixed', handler), Infinity, 0, ...values);
  current = world;
  if (ended[0] !== 1) throw new Error(`${handler}: ${JSON.stringify(result)}`);
  return result;
}

class MixedWorld extends World {
  private readonly program: Case;
  private readonly forms: NativeForm[] = [];
  private readonly ofJs = new Map<string, Action[]>();

  constructor(program: Case) {
    super(program.cancellable ?? [], program.operations ?? []);
    this.program = program;
    visitCase(program, (action) => {
      if (isNative(action)) this.describe(action);
      if (isOfJs(action)) this.ofJs.set(action.do[0].step, action.do[0].do ?? []);
    });
  }

  /** The body of a step of JavaScript inside of native ones, by its id. */
  bodyOf(id: string) {
    return bodyOf(this, id, this.ofJs.get(id)!);
  }

  private describe(form: NativeForm): void {
    const number = this.forms.push(form) - 1;
    const body = callOf(native.handler('mixed', 'run'), 'mixed.run');
    const value = step((asi, ...values) => body(asi, [number, ...values]));
    const whole = handled(this, value, form, form.step);
    this.added.set(form, whole);
    this.parts.set(form, whole);
  }

  override begin(options: Parameters<World['begin']>[0]): void {
    super.begin(options);
    useTool(this.tool);
    told('begin', JSON.stringify({ case: this.program, forms: this.forms }), lines);
    current = this;
  }

  /** The lines that native steps have written: a `buffer` of ../../cpp/cabi/conformance/json.h, and what it has. */
  drain(): void {
    const size = Number(sizes[1]);
    if (size === 0) return;
    const text = lines.toString('utf8', 24, 24 + size).replace(/^,/, '');
    sizes[1] = 0n;
    for (const line of JSON.parse(`[${text}]`)) this.log(line);
  }

  /** What native steps wait for has names of its own. */
  override isElsewhere(action: Action): boolean {
    const { done, settle } = action as { [key: string]: unknown };
    if (!String(done ?? settle ?? '').startsWith('native')) return false;
    told('act', JSON.stringify([action]));
    this.drain();
    return true;
  }

  /** Nothing native is left of it. */
  async end(): Promise<void> {
    for (const flow of this.flows.values()) flow.cancel();
    // One whose trace was too long still runs.
    const runs = async () => this.tool.run();
    while (this.ended && (await runs().catch(() => true))) await new Promise(setImmediate);
    await this.tool.run();
    current = null;
    const { calls } = counts();
    const fault = calls > 0 ? `${calls} native calls are open` : told('end');
    if (fault !== '') throw new Error(fault);
  }
}

function isNative(action: Form): action is NativeForm {
  return formOf(action) === 'step' && (action as NativeForm).name === 'native';
}

/** In native steps: its one step is called by the service `js`. */
function isOfJs(action: Form): action is { do: [{ step: string; do?: Action[] }] } {
  return formOf(action) === 'step' && (action as NativeForm).name === 'js';
}

export async function runMixed(program: Case): Promise<Answer> {
  const world = new MixedWorld(program);
  const { trace } = await runOnce(world, program);
  const told = [...trace];
  await world.end();
  return { trace: told };
}
