// Numbers by which snapshots know flows and guards: each gets its own when it is first shown.

const ids = /* @__PURE__ */ new WeakMap<object, number>();
let given = 0;

export function idOf(shown: object): number {
  let id = ids.get(shown);
  if (id === undefined) ids.set(shown, (id = ++given));
  return id;
}
