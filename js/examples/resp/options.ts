import { defaultLimits, limitNames, type Limits, wordsOf } from './limits.js';
import { parseInteger } from './numbers.js';

export interface Options {
  port: number;
  untilStdinEnds: boolean;
  /** Its flows are shown on a page. */
  inspect: boolean;
  /** Only asks what there is. */
  help: boolean;
  /** Files whose handlers are commands. */
  plugins: string[];
  limits: Limits;
}

/** `--port N --until-stdin-ends --inspect --plugin FILE --help --LIMIT N`, a limit by its name in `Limits`. A text says what is wrong. */
export function readOptions(args: string[]): Options | string {
  const limits = defaultLimits();
  const options: Options = {
    port: 0,
    untilStdinEnds: false,
    inspect: false,
    help: false,
    plugins: [],
    limits,
  };
  for (let i = 0; i < args.length; i += 1) {
    const name = args[i]!;
    if (name === '--help') options.help = true;
    else if (name === '--until-stdin-ends') options.untilStdinEnds = true;
    else if (name === '--inspect') options.inspect = true;
    else {
      i += 1;
      const error = readOption(options, name, args[i] ?? '');
      if (error !== '') return error;
    }
  }
  return options;
}

/** What is wrong with the option and its value; empty: nothing. */
function readOption(options: Options, name: string, text: string): string {
  if (name === '--plugin') {
    if (text !== '') options.plugins.push(text);
    return text === '' ? '--plugin needs a file' : '';
  }
  const value = parseInteger(text);
  if (value === undefined || value < 0n || value > 2n ** 31n - 1n) return `${name} needs a number`;
  if (value === 0n && name.endsWith('PeriodMs')) return `${name} needs a number above 0`;
  const limit = limitNames.find((known) => name === `--${known}`);
  if (name === '--port') options.port = Number(value);
  else if (limit) options.limits[limit] = Number(value);
  else return `unknown option ${name}`;
  return '';
}

/** What `--help` says. */
export function helpText(): string {
  const lines = [
    'A server of the Redis protocol on 127.0.0.1. Sizes are bytes, times (Ms) milliseconds;',
    '0 as a time, a rate or --serverConcurrent is no limit. With the defaults:',
    '',
    line('--port 0', 'where it listens; 0: a free port, which it prints'),
    line('--until-stdin-ends', 'ends with its standard input, not only by SIGTERM and SIGINT'),
    line('--inspect', 'shows its flows on a page, whose URL it prints'),
    line('--plugin FILE', 'a plug-in whose handlers are commands; may be given again'),
  ];
  const limits = defaultLimits();
  for (const name of limitNames) lines.push(line(`--${name} ${limits[name]}`, wordsOf(name)));
  return lines.map((text) => `${text}\n`).join('');
}

function line(option: string, words: string): string {
  return `  ${option.padEnd(24)}${words}`;
}
