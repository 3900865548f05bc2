/** The sources, sinks and bodies of the maps of a case. */
import { perform } from './actions.js';
import { type Channel, tryReceive } from './channel.js';
import { bodyOf } from './forms.js';
import type { Source } from './map.js';
import type { Body } from './shape.js';
import { type Action, log, type World } from './world.js';

type Form = { [key: string]: any };

/** What can be iterated. A source of the case's own writes when it is asked for an item, and when it is left before its end. */
export function sourceOf(world: World, of: any): Source | undefined {
  if (of?.source !== undefined) return loggedSource(world, of);
  const isMap = Array.isArray(of?.map);
  if (!isMap && !Array.isArray(of) && typeof of !== 'string') return undefined;
  const items: unknown[] = isMap ? [...new Map(of.map)] : [...of];
  return {
    next: () => (items.length > 0 ? { item: items.shift() } : undefined),
    close: () => {},
  };
}

/** [channel-38] [channel-40]: it may have to be waited for. */
export function channelSource(channel: Channel): Source {
  return {
    next() {
      const taken = tryReceive(channel);
      if (taken !== undefined) return { item: taken.value };
      return channel.closed ? undefined : 'later';
    },
    close: () => {},
  };
}

function loggedSource(world: World, form: Form): Source {
  const { source: id, items = [], endless = false, at = {} } = form;
  let asked = 0;
  return {
    next() {
      const number = asked++;
      if (id !== '') log(world, `${id}+`);
      perform(world, { step: undefined, id }, at[number] ?? []);
      if (number < items.length) return { item: items[number] };
      return endless ? { item: number } : undefined;
    },
    close() {
      if (id !== '') log(world, `${id}-`);
    },
  };
}

/** A sink writes what it gets, then does its actions. */
export function sinkOf(world: World, id: string, actions: readonly Action[]) {
  return (result: unknown, index: number): void => {
    if (id !== '') log(world, `${id}> ${JSON.stringify(result)} ${index}`);
    perform(world, { step: undefined, id }, actions);
  };
}

/** An item may have actions of its own. */
export function itemBodyOf(world: World, form: Form): Body {
  return (step, item, index) => {
    const actions = [...(form['do'] ?? []), ...(form['at']?.[index as number] ?? [])];
    return bodyOf(world, form['map'], actions)(step, item, index);
  };
}
