// The version in the header is a menu where there are several: it leads to the same page in another one, or to its first page.

export async function versionMenu(root: URL): Promise<void> {
  const place = document.querySelector('.version')!;
  const own = place.textContent!.trim();
  const versions = await json<string[]>(new URL('../versions.json', root));
  if (versions === undefined || versions.length < 2) return;
  const menu = document.createElement('select');
  menu.setAttribute('aria-label', 'Version');
  for (const version of versions) menu.add(new Option(version, version, false, version === own));
  menu.addEventListener('change', () => void leave(root, menu.value));
  place.replaceChildren(menu);
}

async function leave(root: URL, version: string): Promise<void> {
  const other = new URL(`../${version}/`, root);
  const same = new URL(location.href.slice(root.href.length), other);
  const found = await fetch(same, { method: 'HEAD' }).catch(() => undefined);
  location.href = (found?.ok ? same : new URL('index.html', other)).href;
}

/** Opened as a file a page can't ask for others: then there is no menu. */
async function json<T>(url: URL): Promise<T | undefined> {
  const answer = await fetch(url).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
}
