// A source of a case: an iterable that writes when it is asked for an item, and when it is left before its end.

import { perform } from './actions.js';
import type { Action, World } from './world.js';

interface SourceForm {
  source: string;
  items?: unknown[];
  /** Goes on with the number of the item. */
  endless?: true;
  /** What it does when it is asked for the item of that number. */
  at?: { [index: string]: Action[] };
}

export function isSource(of: any): of is SourceForm {
  return typeof of === 'object' && of !== null && typeof of.source === 'string';
}

export function sourceOf(world: World, form: SourceForm): Iterable<unknown> {
  const { source: id, items = [], endless = false, at = {} } = form;
  const iterator = () => {
    let index = 0;
    return {
      next() {
        const number = index++;
        if (id !== '') world.log(`${id}+`);
        perform(world, { asi: null, id }, at[number] ?? []);
        if (number < items.length) return { done: false, value: items[number] };
        return endless ? { done: false, value: number } : { done: true, value: undefined };
      },
      return() {
        if (id !== '') world.log(`${id}-`);
        return { done: true, value: undefined };
      },
    };
  };
  return { [Symbol.iterator]: iterator };
}
