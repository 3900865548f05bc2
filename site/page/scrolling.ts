// What is wider than its place can be reached by keys, and says what it is.

export function reachable(): void {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) mark(target as HTMLElement);
  });
  for (const each of document.querySelectorAll<HTMLElement>('pre, main .wide')) watch.observe(each);
}

function mark(element: HTMLElement): void {
  const isWide = element.scrollWidth > element.clientWidth;
  if (isWide) {
    element.tabIndex = 0;
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', element.matches('pre') ? 'Code' : 'Table');
  } else {
    for (const name of ['tabindex', 'role', 'aria-label']) element.removeAttribute(name);
  }
}
