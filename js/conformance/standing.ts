// What values are given in the place of guards and budgets: each run of a case has its own, of the same name.

import { type Guard, type ISync, Mutex, RetryBudget } from 'steptree';
import type { GuardForm } from './guards.js';
import type { World } from './world.js';

export function standForGuard(world: World, name: string, form: GuardForm): void {
  const { rwlock, custom, mutex, keyed } = form;
  const names = rwlock === undefined ? [name] : [`${name}.read`, `${name}.write`];
  const most = Number(mutex?.max ?? 1);
  if (keyed !== undefined) {
    const of = (key: string) =>
      new StandingGuard(() => world.guard(name, undefined, key) as Guard, 1);
    return void world.guards.set(name, { of } as never);
  }
  for (const each of names) {
    const own = () => world.guard(each) as Mutex;
    world.guards.set(
      each,
      custom === undefined ? new StandingGuard(own, most) : syncOf(world, each),
    );
  }
}

export function standForBudget(world: World, name: string): void {
  world.budgets.set(name, new StandingBudget(world, name));
}

function syncOf(world: World, name: string): ISync {
  const own = () => world.guard(name) as ISync;
  return { lock: (asi) => own().lock(asi), unlock: (asi, outcome) => own().unlock(asi, outcome) };
}

/** The engine knows its own guards by their class, and asks them what no user can. */
class StandingGuard extends Mutex {
  readonly #own: () => Guard;

  constructor(own: () => Guard, max: number) {
    super({ max });
    this.#own = own;
  }

  override places(n: number): Guard {
    super.places(n);
    return new StandingGuard(() => (this.#own() as Mutex).places(n), 1);
  }

  override shown(): Guard {
    return this.#own().shown();
  }

  override admit(line: Parameters<Mutex['admit']>[0]): boolean {
    return this.#own().admit(line);
  }

  override queue(lock: Parameters<Mutex['queue']>[0]): void {
    this.#own().queue(lock);
  }

  override leave(...leaving: Parameters<Guard['leave']>): void {
    this.#own().leave(...leaving);
  }
}

class StandingBudget extends RetryBudget {
  readonly #own: () => RetryBudget;

  constructor(world: World, name: string) {
    super({ capacity: 1, ratio: 0 });
    this.#own = () => world.budgets.get(name)!;
  }

  override take(): boolean {
    return this.#own().take();
  }

  override putBack(): void {
    this.#own().putBack();
  }
}
