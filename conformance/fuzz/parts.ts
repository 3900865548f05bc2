// Parts of a program, whatever they are, and how they are gone through.

export type Part = { readonly [key: string]: unknown };

export function isPart(part: unknown): part is Part {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Each part of it, from the outside to the inside; what `change` gives is gone through in its place. */
export function mapped(part: unknown, change: (part: Part) => Part): unknown {
  if (Array.isArray(part)) return part.map((item) => mapped(item, change));
  if (!isPart(part)) return part;
  return Object.fromEntries(
    Object.entries(change(part)).map(([key, value]) => [key, mapped(value, change)]),
  );
}

export function without<T>(part: T, name: string): T {
  const isLeft = (item: unknown) => isPart(item) && name in item;
  if (Array.isArray(part))
    return part.filter((item) => !isLeft(item)).map((item) => without(item, name)) as T;
  if (!isPart(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => [key, without(value, name)]);
  return Object.fromEntries(entries) as T;
}

/** What stays as it is inside. */
const done = new WeakSet<object>();
export function frozen(part: Part): Part {
  done.add(part);
  return part;
}

/** As `mapped`, but what is frozen stays as it is inside. */
export function mappedBut(part: unknown, change: (part: Part) => Part): unknown {
  if (Array.isArray(part)) return part.map((item) => mappedBut(item, change));
  if (!isPart(part)) return part;
  const changed = done.has(part) ? part : change(part);
  const { catch: handler, ...body } = changed;
  if (!done.has(changed))
    return Object.fromEntries(
      Object.entries(changed).map(([key, value]) => [key, mappedBut(value, change)]),
    );
  return handler === undefined ? changed : { ...body, catch: mappedBut(handler, change) };
}
