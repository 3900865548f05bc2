/** Contexts for `als`. Their module is loaded when it's needed: other programs are to have none in use. */
type Run = <R>(id: number, fn: (id: number) => R) => R;
type IsRight = (id: number) => boolean;

export async function inContexts(
  program: (run: Run, isRight: IsRight) => Promise<number>,
): Promise<number> {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const storage = new AsyncLocalStorage<number>();
  return program(
    (id, fn) => storage.run(id, fn, id),
    (id) => storage.getStore() === id,
  );
}
