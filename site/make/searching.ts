/** What the search looks through: a part of a page is an entry. */
import type { Rendered } from './markdown.js';

export interface Entry {
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export function entriesOf(url: string, page: string, { texts }: Rendered): Entry[] {
  return texts
    .filter(({ title, text }) => title !== '' || text.trim() !== '')
    .map(({ id, title, text }) => {
      return {
        id: id === '' ? url : `${url}#${id}`,
        page,
        title: title || page,
        text: text.trim(),
      };
    });
}
