/** The jobs of the scenario `map`: numbers, so many of them at a time. */
export const atATime = 256;

export function* numbers(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i;
}
