// What a plug-in says of its handlers, as an interface for `load`.

import type { HandlerInfo, PluginInfo } from './index.js';

/** `greet(name: string): string — says hello`, as docs/plug-in.md says. */
const SIGNATURE = /^(\w+)(\([^\n]*\): [^\n]+?)(?: (?:—|--) ([^\n]*))?$/;
const OPENING = '([{<';
const CLOSING = ')]}>';

/** Whether its brackets are in pairs, so that nothing of it goes on behind it. */
function isWhole(signature: string): boolean {
  const open: string[] = [];
  for (const mark of signature.replaceAll('=>', '')) {
    if (mark === ';' && open.length === 0) return false;
    if (OPENING.includes(mark)) open.push(mark);
    const closing = CLOSING.indexOf(mark);
    if (closing >= 0 && open.pop() !== OPENING[closing]) return false;
  }
  return open.length === 0 && !/\/\*|\*\/|\/\//.test(signature);
}

/** Declares it, with `unknown` values where the description has no signature. */
export function interfaceOf({
  name,
  version,
  handlers,
}: Pick<PluginInfo, 'name' | 'version' | 'handlers'>): string {
  const title = name
    .replace(/(?:^|\W|_)+(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '')
    .replace(/^$/, 'Plugin');
  const members = handlers.map(memberOf).join('');
  return `/** Of ${plain(name)} ${plain(version)}. */\nexport interface ${title.replace(/^\d/, '_$&')} {\n${members}}\n`;
}

/** Of a comment, on one line. */
function plain(text: string): string {
  return text.replaceAll('*/', '* /').replace(/\s+/g, ' ');
}

function memberOf(handler: HandlerInfo): string {
  const { name, description } = handler;
  const [, own, signature, text = ''] = SIGNATURE.exec(description) ?? [];
  const isSigned = own === name && isWhole(signature ?? '');
  const said = isSigned ? text : description;
  const comment = said === '' ? '' : `  /** ${plain(said)} */\n`;
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${comment}  ${key}${isSigned ? signature : unknownOf(handler)};\n`;
}

function unknownOf({ least, most }: HandlerInfo): string {
  const values = Array.from(
    { length: most },
    (_, i) => `value${i + 1}${i < least ? '' : '?'}: unknown`,
  );
  return `(${values.join(', ')}): unknown`;
}
