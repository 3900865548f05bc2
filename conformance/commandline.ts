/** What every program with a command line has: options, a usage, an exit code. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

export class UsageError extends Error {}

/** The values of the options; what isn't one of them is a `UsageError`. */
export function valuesOf<const T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Runs a program, whose result is its exit code. What it throws is printed and makes that 2. */
export async function mainOf(
  usage: string,
  main: (args: readonly string[]) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    if (error instanceof UsageError) console.error(usage);
    process.exitCode = 2;
  }
}
