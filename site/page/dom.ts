// Elements in one call.

type Props<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], 'style'>
> & { readonly [aria: `aria-${string}`]: string };

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<K> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith('aria-')) element.setAttribute(name, value as string);
    else (element as any)[name] = value;
  }
  element.append(...inside);
  return element;
}

export function button(words: string, onclick: () => void): HTMLButtonElement {
  return h('button', { type: 'button', onclick }, words);
}
