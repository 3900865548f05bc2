import type { IAsyncSteps } from '../../src/index.js';

/** The errors that several commands know. A code is the first word of the reply, an info is the rest. */
export function wrongType(asi: IAsyncSteps): never {
  asi.error('WRONGTYPE', 'Operation against a key holding the wrong kind of value');
}

export function notAnInteger(asi: IAsyncSteps): never {
  asi.error('ERR', 'value is not an integer or out of range');
}

export function syntaxError(asi: IAsyncSteps): never {
  asi.error('ERR', 'syntax error');
}

export function wrongArity(asi: IAsyncSteps, name: string): never {
  asi.error('ERR', `wrong number of arguments for '${name}' command`);
}

export function unknownSubcommand(asi: IAsyncSteps, name: string, subcommand: string): never {
  const shown = subcommand.slice(0, 128);
  asi.error('ERR', `unknown subcommand '${shown}'. Try ${name.toUpperCase()} HELP.`);
}
