// Numbers by which snapshots know flows and guards: each gets its own when it is first shown.

const ids = /* @__PURE__ */ new WeakMap<object, number>();
let given = 0;

export function idOf(shown: object): number {
  let id = ids.get(shown);
  if (id === undefined) ids.set(shown, (id = ++given));
  return id;
}

/** Nobody will ask for it again: one that nobody has asked for isn't kept. */
export function idAtEnd(shown: object): number {
  return ids.get(shown) ?? ++given;
}
