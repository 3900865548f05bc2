// What a plug-in says of its handlers, as an interface for `load`.

import type { HandlerInfo, PluginInfo } from './index.js';

/** `greet(name: string): string — says hello`, as docs/plug-in.md says. */
const SIGNATURE = /^(\w+)(\([^\n]*\): [^\n]+?)(?: (?:—|--) ([^\n]*))?$/;

/** Declares it, with `unknown` values where the description has no signature. */
export function interfaceOf({
  name,
  version,
  handlers,
}: Pick<PluginInfo, 'name' | 'version' | 'handlers'>): string {
  const title = name.replace(/(?:^|\W|_)+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const members = handlers.map(memberOf).join('');
  return `/** Of ${name} ${version}. */\nexport interface ${title.replace(/^\d/, '_$&')} {\n${members}}\n`;
}

function memberOf(handler: HandlerInfo): string {
  const { name, description } = handler;
  const [, own, signature, text = ''] = SIGNATURE.exec(description) ?? [];
  const isSigned = own === name;
  const said = isSigned ? text : description;
  const comment =
    said === '' ? '' : `  /** ${said.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`;
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
