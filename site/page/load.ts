// What a page loads when it's needed. The network may be away, and a part of this version may be another one by now.

export async function loaded<T>(url: URL | string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${response.url}`);
  return response.json() as Promise<T>;
}

/** For people. */
export const notLoaded = (what: string, failure: unknown) =>
  `${what} can't be loaded; loading the page again may help. (${failure instanceof Error ? failure.message : failure})`;
