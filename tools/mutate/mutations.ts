/** The small mutations of a source text, found by looking at its code line by line; what doesn't compile is found out later. */
import { afterBracket, isBalanced, type Language, mask } from './mask.js';

export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
  /** The lines that it changes, without indentation, and what they become. */
  readonly from: string;
  readonly to: string;
  /** The code line before. */
  readonly after: string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Swaps where the pattern's first group stands. */
interface Swap {
  readonly pattern: RegExp;
  readonly to: Readonly<Record<string, readonly string[]>>;
}

const swaps: readonly Swap[] = [
  {
    pattern: /(?<=\s)([=!]==?|[<>]=?)(?=\s|$)/g,
    to: {
      '===': ['!=='],
      '!==': ['==='],
      '==': ['!='],
      '!=': ['=='],
      '<': ['>=', '<='],
      '<=': ['>', '<'],
      '>': ['<=', '>='],
      '>=': ['<', '>'],
    },
  },
  { pattern: /(?<=\s)(&&|\|\|)(?=\s|$)/g, to: { '&&': ['||'], '||': ['&&'] } },
  { pattern: /(?<![\w)\]!])(!)(?=[\w(])/g, to: { '!': [''] } },
  { pattern: /\b(true|false)\b/g, to: { true: ['false'], false: ['true'] } },
  { pattern: /(?<=[^"'`] )([+-])(?= [^"'`])/g, to: { '+': ['-'], '-': ['+'] } },
  { pattern: /(\+\+|--)/g, to: { '++': ['--'], '--': ['++'] } },
  { pattern: /(?<= )([+-]=)(?= )/g, to: { '+=': ['-='], '-=': ['+='] } },
  { pattern: /(?<= )([&|])(?= )/g, to: { '&': ['|'], '|': ['&'] } },
  { pattern: /(?<= )(\|=|&= ~)/g, to: { '|=': ['&='], '&= ~': ['|= '] } },
];

const declarations =
  /^(?:import|export (?:type|\{|\*)|#|using|namespace|static_assert|template|type |interface |declare |\w+,$)/;
/** A constructor sets it so that all instances have one shape: without the line it is `undefined`, which is as empty. */
const emptyField = /^(?:this\.\w+ = )+(?:null(?: as unknown as \w+)?|undefined|false);$/;
/** Ends of the process: no case may reach them. Locks of threads, and memory orders: nothing with one thread can tell. */
const beyondCases = /\b(?:abort|terminate)\(|std::\w*lock\w*</;

export function findMutations(source: string, lang: Language): Mutation[] {
  const masked = mask(source, lang);
  const starts = lineStarts(source);
  const names = flagNames(masked);
  const found: Mutation[] = [];
  let before = '';
  let inConstructor = false;
  for (const [i, start] of starts.entries()) {
    const code = masked.slice(start, (starts[i + 1] ?? masked.length + 1) - 1);
    if (code.trim() === '') continue;
    if (/^ {2}\S/.test(code)) inConstructor = code.startsWith('  constructor(');
    const isShape = inConstructor && emptyField.test(code.trim());
    if (!isShape && !declarations.test(code.trim()) && !beyondCases.test(code)) {
      const edits = [...editsOf(code, names), ...conditions(masked, start, code)];
      edits.push(...wholeLine(code, before));
      for (const edit of edits) found.push(describe(source, starts, start, i, edit));
    }
    before = code.trimEnd();
  }
  return found.filter(({ from, to }) => from !== to);
}

function editsOf(code: string, names: readonly (readonly string[])[]): Edit[] {
  const edits = swaps.flatMap(({ pattern, to }) =>
    [...code.matchAll(pattern)].flatMap(({ index, 1: what }) =>
      (to[what!] ?? []).map((text) => ({ start: index, end: index + what!.length, text })),
    ),
  );
  return [...edits, ...numbers(code), ...choices(code), ...flags(code, names)];
}

/** A number that only has to differ from its neighbours becomes one of them: another one of its own would change nothing. */
const constant = /\b(?:const|constexpr)\b.* (?:k[A-Z]\w*|[A-Z][A-Z_]+) = /;

/** Off by one. */
function numbers(code: string): Edit[] {
  const others = (n: number) => {
    if (constant.test(code)) return [n === 0 ? 1 : n - 1];
    return n === 1 ? [0, 2] : [n + 1];
  };
  const number = /(?<![\w.'#])(\d+)(?=[uUlLn]*(?![\w.'])(?! <<))/g;
  return [...code.matchAll(number)].flatMap(({ index, 1: digits }) =>
    others(Number(digits)).map((n) => ({
      start: index,
      end: index + digits!.length,
      text: String(n),
    })),
  );
}

/** `a ? b : c` with the other answer, where the question is a name or a call. */
function choices(code: string): Edit[] {
  const question = /(?<=(?:[(=,:?]|return) )((?:[\w.]|->)+(?:\([^()]*\))?)(?= \?(?: |$))/g;
  return [...code.matchAll(question)].map(({ index }) => ({ start: index, end: index, text: '!' }));
}

/** Flags and enumerators: families of names of which one can stand for another. */
const families = [
  /\b[A-Z][A-Z_]{2,}\b/g,
  /\bk[A-Z][a-z]\w*\b/g,
  /\b[A-Z]\w+::[a-z]\w*\b(?![(<:])/g,
];

function flagNames(masked: string): string[][] {
  return families.map((family) => [...new Set(masked.match(family))].sort());
}

function flags(code: string, names: readonly (readonly string[])[]): Edit[] {
  return families.flatMap((family, i) =>
    [...code.matchAll(family)].flatMap(({ index, 0: name }) => {
      const type = name.replace(/[^:]*$/, '');
      const others = names[i]!.filter((other) => other.replace(/[^:]*$/, '') === type);
      const other = others[(others.indexOf(name) + 1) % others.length]!;
      return other === name ? [] : [{ start: index, end: index + name.length, text: other }];
    }),
  );
}

/** The whole condition, the other way round; it may go on in later lines. One comparison or one `!` is turned anyway. */
function conditions(masked: string, start: number, code: string): Edit[] {
  return [...code.matchAll(/\b(?:if|while) \(/g)].flatMap(({ index, 0: head }) => {
    const open = index + head.length - 1;
    const end = afterBracket(masked, start + open) - start - 1;
    const condition = masked.slice(start + open + 1, start + end);
    if (!/ (?:&&|\|\|)\s/.test(condition) && /^!|\s(?:[=!]==?|[<>]=?)\s/.test(condition)) return [];
    return [{ start: open + 1, end, text: 'not' }];
  });
}

const keywords =
  /^(?:const|let|var|using|typedef|struct|class|enum|readonly|private|public|protected|friend|extern|static|explicit|virtual|case|default)\b/;
const guardObject = /^(?:const )?[A-Z]\w* \w+\(.*\);$/;
const declared = /^(?:[\w:<>,]+[*&]*\s+)+[*&]*\w+\s*(?:=(?!=)|;|\{)/;
const statement = /^(?:return|throw|break|continue)\b|[=(]|\+\+|--/;

/** A statement of one line that is left out: a call, an assignment, an early return. */
function wholeLine(code: string, before: string): Edit[] {
  const line = code.trim();
  // No value is as false as `false`.
  if (line === 'return false;') return [];
  if (!line.endsWith(';') || !isBalanced(line) || !/[;{}):]$/.test(before)) return [];
  if (!guardObject.test(line)) {
    if (keywords.test(line) || !statement.test(line)) return [];
    if (declared.test(line) && !/^(?:return|throw|if|else)\b/.test(line)) return [];
  }
  const start = code.indexOf(line);
  return [{ start, end: start + line.length, text: ';' }];
}

function describe(
  source: string,
  starts: readonly number[],
  offset: number,
  i: number,
  edit: Edit,
): Mutation {
  const start = offset + edit.start;
  const end = offset + edit.end;
  const text = edit.text === 'not' ? `!(${source.slice(start, end)})` : edit.text;
  let last = i;
  while ((starts[last + 1] ?? source.length) < end) last++;
  const stop = (starts[last + 1] ?? source.length + 1) - 1;
  const changed = source.slice(offset, start) + text + source.slice(end, stop);
  return {
    ...{ start, end, text, line: i + 1 },
    ...{ from: squeeze(source.slice(offset, stop)), to: squeeze(changed) },
    after: squeeze(lineBefore(source, starts, i)),
  };
}

function lineBefore(source: string, starts: readonly number[], i: number): string {
  for (let at = i - 1; at >= 0; at--) {
    const line = source.slice(starts[at], starts[at + 1]!);
    if (line.trim() !== '') return line;
  }
  return '';
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = 0; at < source.length - 1; at++) if (source[at] === '\n') starts.push(at + 1);
  return starts;
}

function squeeze(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

export function apply(source: string, { start, end, text }: Mutation): string {
  return source.slice(0, start) + text + source.slice(end);
}
