// Elements of the page. Whatever a program calls its things comes into them as text only.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  if (text !== '') element.textContent = plain(text);
  return element;
}

/** What isn't seen, or changes how the text around it is read. */
const odd = /(?!\n)\p{Cc}|\p{Cs}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function plain(text: string): string {
  return text.replace(odd, '\ufffd');
}

/** Nothing is drawn anew for what is the same. */
export function setText(element: Element, text: string): void {
  const shown = plain(text);
  if (element.textContent !== shown) element.textContent = shown;
}

export function setClass(element: Element, className: string): void {
  if (element.className !== className) element.className = className;
}

/** It has children like these, and keeps its own as far as they are of the same kind: with their focus, and what is being clicked. */
export function setChildren(element: HTMLElement, like: readonly Node[]): void {
  for (const [i, node] of like.entries()) {
    const own = element.childNodes[i];
    if (own === undefined) element.append(node);
    else if (own.nodeName !== node.nodeName) own.replaceWith(node);
    else if (node instanceof HTMLElement) setLike(own as HTMLElement, node);
    else if (own.nodeValue !== node.nodeValue) own.nodeValue = node.nodeValue;
  }
  while (element.childNodes.length > like.length) element.lastChild!.remove();
}

function setLike(element: HTMLElement, like: HTMLElement): void {
  setClass(element, like.className);
  if (element.style.cssText !== like.style.cssText) element.style.cssText = like.style.cssText;
  for (const [name, value] of Object.entries(like.dataset)) element.dataset[name] = value!;
  setChildren(element, [...like.childNodes]);
}

/** Of a table: as many rows as there are, of so many cells. */
export function rowsOf(
  body: HTMLTableSectionElement,
  rows: number,
  cells: readonly string[],
): void {
  while (body.rows.length > rows) body.deleteRow(-1);
  while (body.rows.length < rows) {
    const row = body.insertRow();
    for (const className of cells) row.append(make('td', className));
  }
}
