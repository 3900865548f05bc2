/** A block of code with its language and, if it shows lines of a file, the name of that. */
import { escaped, highlight } from './highlight.js';

export function codeBlock(code: string, lang: string, more = ''): string {
  const name = more.includes('/') ? `<p class="of">${escaped(more)}</p>` : '';
  return `<div class="code lang-${escaped(lang || 'text')}">${name}<pre><code>${highlight(code, lang)}</code></pre></div>\n`;
}
