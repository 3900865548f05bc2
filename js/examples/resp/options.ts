import { defaultLimits, type Limits } from './limits.js';
import { parseInteger } from './numbers.js';

export interface Options {
  port: number;
  untilStdinEnds: boolean;
  limits: Limits;
}

/** `--port N --until-stdin-ends --LIMIT N`, a limit by its name in `Limits`. A text says what is wrong. */
export function readOptions(args: string[]): Options | string {
  const options: Options = { port: 0, untilStdinEnds: false, limits: defaultLimits() };
  for (let i = 0; i < args.length; i += 1) {
    const name = args[i]!.replace(/^--/, '');
    if (args[i] === '--until-stdin-ends') {
      options.untilStdinEnds = true;
      continue;
    }
    i += 1;
    const value = parseInteger(args[i] ?? '');
    if (value === undefined || value < 0n || value > 2n ** 31n - 1n) {
      return `${args[i - 1]!} needs a number`;
    }
    if (name === 'port') options.port = Number(value);
    else if (name in options.limits) options.limits[name as keyof Limits] = Number(value);
    else return `unknown option ${args[i - 1]!}`;
  }
  return options;
}
