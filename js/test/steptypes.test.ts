// What the compiler knows of step values. `@ts-expect-error` fails the type check where misuse would pass.

import { expect } from 'chai';
import {
  all,
  any,
  AsyncSteps,
  Channel,
  delay,
  errors,
  forEach,
  type IAsyncSteps,
  loop,
  map,
  Mutex,
  parallel,
  type Part,
  race,
  repeat,
  hedge,
  retry,
  run,
  shield,
  step,
  type Step,
  steps,
  sync,
} from '../src/index.js';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_proof: Same<A, B>): void => {};
/** What a run of it gives. */
type Gives<S> = S extends Step<any, infer V> ? (V extends readonly [] ? undefined : V[0]) : 0;

interface User {
  readonly id: string;
}
interface Page {
  readonly html: string;
}
const empty: Page = { html: '' };
const db = { user: (id: string): Promise<User> => Promise.resolve({ id }) };
const carts = async (user: User): Promise<{ items: number }> => ({ items: user.id.length });
const mails = async (user: User): Promise<{ text: string }> => ({ text: `to ${user.id}` });

const user = step((_asi, id: string): User => ({ id }));

const profile = steps(
  (_asi, id: string) => db.user(id),
  all(
    (_asi, user) => carts(user),
    (_asi, user) => mails(user),
  ),
  (_asi, [cart, mail]): Page => ({ html: `${cart.items} ${mail.text}` }),
)
  .timeout(500)
  .onError((asi, code) => code === errors.Timeout && asi.success(empty))
  .named('profile');

async function example(): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const page: Page = await run(profile.with('42'), { signal });
  const flow = new AsyncSteps();
  flow.add((asi) => asi.success('abc')).add(profile);
  flow.add((asi, { html }: Page) => {
    asi.add(
      retry({ max: 3, on: (code, error) => code !== 'E' && error !== 0 }, profile).with(html),
    );
  });
  flow.parallel().add(profile.with('7'));
  await flow.promise();
  return [page.html];
}

function values(): void {
  same<typeof profile, Step<[id: string], [Page]>>(true);
  const counted = steps(
    (_asi, text: string) => text.length,
    (asi, n) => asi.success(n, 'x', true),
    (_asi, n, text, is) => (is ? text : n),
  );
  same<typeof counted, Step<[text: string], [string | number]>>(true);
  const nothing = steps(delay(5), (asi) => void asi.success(5));
  same<typeof nothing, Step<any, []>>(true);
  const declared = step<[User]>((asi) => void asi.waitExternal());
  same<typeof declared, Step<any, [User]>>(true);
  const both = step<[id: string], [User]>((asi, id) => void asi.success({ id }));
  same<typeof both, Step<[id: string], [User]>>(true);
  const sometimes = steps(
    () => 5,
    (asi, n) => n > 4 && asi.success(n),
  );
  same<Gives<typeof sometimes>, number | undefined>(true);
  const returned = steps(
    () => [1, 2],
    (_asi, list) => map(list, { limit: 4 }, async (_inner, n) => `${n}`),
  );
  same<typeof returned, Step<[], [string[]]>>(true);
  const thrown = step((asi, n: number) => {
    if (n > 5) throw asi.error('E');
    return n > 3 ? asi.success(n) : n;
  });
  same<typeof thrown, Step<[n: number], [number]>>(true);
  const failing = step<[id: string], [User]>((asi) => asi.error('E'));
  same<typeof failing, Step<[id: string], [User]>>(true);
  step<[User]>(async (asi, id: string) => (id === '' ? { id } : asi.success({ id })));
  step<[User]>((asi) => asi.add(async () => ({ id: '5' })));
  step<[User | null]>((_asi, id: string) => (id === '' ? null : user.with(id)));
  step<[number, string]>((asi) => asi.success(5, 'x'));
  // @ts-expect-error it's said to leave a user
  step<[User]>(() => 5);
  // @ts-expect-error the same
  step<[id: string], [User]>(() => 5);
  // @ts-expect-error the same
  step<[User]>(async () => 5);
  // @ts-expect-error it's said to leave two values
  step<[number, string]>((asi) => asi.success(5));
  // @ts-expect-error it isn't known what it gets
  step((_asi, id) => id.length);
  // @ts-expect-error the same
  steps((_asi, id) => id.length, delay(5));
  // @ts-expect-error the compiler doesn't look through the call of a value
  steps(user, sync(new Mutex(), (_asi, found) => found.id).timeout(5));
  // @ts-expect-error the same
  steps(user, shield(5, (_asi, found) => found.id).named('n'));
  const more = [step((_asi, n: number) => n + 1), step((_asi, n: number) => n + 2)];
  run(steps(...more).with(5));
  // @ts-expect-error they get numbers
  steps(...more).with('5');
  // @ts-expect-error of a list each has to leave what the next one gets
  steps(...more.map((each) => steps(each, String)));
  // @ts-expect-error it may be a step value, which nobody calls
  const called = <I extends readonly any[]>(part: Part<I>): Part<I> => (asi, ...found) => part(asi, ...found); // prettier-ignore
  void called;
  // @ts-expect-error a number isn't a text
  steps(() => 5, (_asi, text: string) => text); // prettier-ignore
  // @ts-expect-error there is no second value
  steps(() => 5, (_asi, n, second) => [n, second]); // prettier-ignore
  // @ts-expect-error nothing is left
  steps(() => {}, (_asi, n) => n); // prettier-ignore
  // @ts-expect-error it needs an id
  run(profile);
  // @ts-expect-error a number isn't an id
  profile.with(5);
  // @ts-expect-error a part that needs a text
  steps(() => 5, profile);
  // @ts-expect-error a step is a value: `add` and `run` run it
  profile({} as IAsyncSteps, 'id');
  // @ts-expect-error a step has a body
  step(5);
}

function branches(): void {
  const found = () => 5;
  const raced = steps(
    found,
    race(
      (_asi, n) => n,
      async (_asi, n) => `${n}`,
      (asi) => asi.error('E'),
    ),
  );
  same<Gives<typeof raced>, string | number>(true);
  const first = steps(found, any((_asi, n) => [n], step((_asi, n: number) => n > 5))); // prettier-ignore
  same<Gives<typeof first>, number[] | true | undefined>(true);
  const every = steps(
    found,
    all(
      (asi, n) => asi.success(n, 'second'),
      (asi) => void asi.add(() => {}),
      profile.with('id'),
      delay(5),
    ),
  );
  same<typeof every, Step<[], [[number, undefined, Page, undefined]]>>(true);
  const list = all(...[1, 2].map((n) => () => n));
  same<typeof list, Step<any, [number[]]>>(true);
  const joined = parallel(profile.with('1'), () => 5);
  same<typeof joined, Step<any, []>>(true);
  const size = step((_asi, id: string) => id.length);
  const sizes = all(
    size,
    step(() => ''),
    size.timeout(5),
  );
  same<typeof sizes, Step<[id: string], [[number, string, number]]>>(true);
  const sooner = race(
    size,
    step((_asi, id: string) => [id]),
  );
  same<typeof sooner, Step<[id: string], [number] | [string[]]>>(true);
  const successful = any(
    size,
    step(() => ''),
  );
  same<typeof successful, Step<[id: string], [number] | [string]>>(true);
  const known = steps(() => 'x', all(size, (_asi, id) => [id])); // prettier-ignore
  same<typeof known, Step<[], [[number, string[]]]>>(true);
  // @ts-expect-error an id is a text
  sizes.with(5);
  // @ts-expect-error it needs an id
  run(sooner);
  // @ts-expect-error it needs an id
  steps(found, successful);
  const neither = all(size, step((_asi, n: number) => n)); // prettier-ignore
  // @ts-expect-error one of its branches needs a text
  neither.with(5);
  // @ts-expect-error one needs a number
  neither.with('5');
  // @ts-expect-error the same
  run(neither);
  // @ts-expect-error a branch that needs a text
  steps(found, all(profile));
  // @ts-expect-error a branch that needs a text
  steps(found, race((_asi, n) => n, (_asi, text: string) => text)); // prettier-ignore
  // @ts-expect-error branches of it get nothing
  parallel(profile);
}

function kinds(): void {
  const found = (_asi: IAsyncSteps, text: string) => text.length;
  const tried = steps(
    found,
    retry({ max: 3 }, (asi, n, attempt) => asi.success(n + attempt, `${n}`)),
  );
  same<typeof tried, Step<[text: string], [number, string]>>(true);
  const alone = retry({ max: 3 }, (_asi, attempt) => attempt);
  same<typeof alone, Step<[none?: undefined], [number]>>(true);
  const annotated = retry({ max: 3 }, (_asi, user: User, attempt: number) => [user, attempt]);
  same<typeof annotated, Step<[user: User, none?: undefined], [(number | User)[]]>>(true);
  const unnumbered = retry({ max: 3 }, (_asi, id: string) => id);
  same<typeof unnumbered, Step<[id: string], [string]>>(true);
  same<Gives<ReturnType<typeof guarded>>, string>(true);
  const hedged = steps(
    found,
    hedge({ after: 50 }, (asi, n, attempt) => asi.success(n + attempt, `${n}`)),
  );
  same<typeof hedged, Step<[text: string], [number, string]>>(true);
  const quick = hedge({ after: 50, max: 3 }, (_asi, user: User, attempt: number) => [
    user,
    attempt,
  ]);
  same<typeof quick, Step<[user: User, none?: undefined], [(number | User)[]]>>(true);
  const quickly = hedge({ after: 50 }, profile);
  same<typeof quickly, Step<[id: string], [Page]>>(true);
  // @ts-expect-error when the next one begins is mandatory
  hedge({ max: 3 }, () => {});
  const mapped = map(new Map([['a', 1]]), { limit: 1 }, (_asi, [key, n], i) => key.length + n + i);
  same<Gives<typeof mapped>, number[]>(true);
  const sunk = map([1], { limit: 1, sink: (text: string) => void text }, (_asi, n) => `${n}`);
  same<typeof sunk, Step<any, []>>(true);
  steps(
    forEach({ a: true }, (_asi, key, value) => same<[typeof key, typeof value], [string, boolean]>(true)),
    forEach([1], step((_asi, i: number, v: number) => i + v)),
    repeat(3, (_asi, i) => same<typeof i, number>(true)),
    loop((asi) => asi.break()),
  ); // prettier-ignore
  const walked = map(
    function* () {
      yield 'a';
    },
    { limit: 1 },
    (_asi, item) => item.length,
  );
  same<Gives<typeof walked>, number[]>(true);
  const list = [true];
  forEach(function* () { yield 1; }, (_asi, i, n) => same<[typeof i, typeof n], [number, number]>(true)); // prettier-ignore
  forEach(async function* () { yield ''; }, (_asi, _i, text) => same<typeof text, string>(true)); // prettier-ignore
  forEach(list, (_asi, i, is) => same<[typeof i, typeof is], [number, boolean]>(true));
  forEach(() => new Map([['a', 1]]), (_asi, key, n) => same<[typeof key, typeof n], [string, number]>(true)); // prettier-ignore
  forEach(() => new Set(['a']), (_asi, i, text) => same<[typeof i, typeof text], [number, string]>(true)); // prettier-ignore
  forEach('ab', (_asi, i, letter) => same<[typeof i, typeof letter], [number, string]>(true));
  // @ts-expect-error items are numbers
  forEach(function* () { yield 1; }, (_asi, _i, n) => n.length); // prettier-ignore
  // @ts-expect-error a number has no items
  forEach(5, () => {});
  // @ts-expect-error items are texts
  map(() => ['a'], { limit: 1 }, (_asi, item) => item.nothing); // prettier-ignore
  // @ts-expect-error an attempt of it needs a text
  steps(() => 5, retry({ max: 3 }, profile));
  // @ts-expect-error a round of it needs a text
  repeat(3, profile);
  // @ts-expect-error items are numbers
  map([1], { limit: 1 }, profile);
  // @ts-expect-error how many at a time is mandatory
  map([1], {}, () => {});
}

const guarded = () =>
  steps(
    () => 5,
    shield(5, (_asi, n) => n * 2),
    sync(new Mutex(), (_asi, n) => `${n}`),
  );

/** The number of an attempt comes behind what the step finds. */
function attempts(): void {
  const tried = retry({ max: 3 }, (_asi: IAsyncSteps, attempt: number) => attempt);
  const twice = hedge({ after: 5 }, (_asi: IAsyncSteps, attempt: number) => attempt);
  const asked = retry({ max: 3 }, (_asi, id: string, attempt: number) => [id, attempt]);
  const perhaps = retry({ max: 3 }, (_asi: IAsyncSteps, attempt?: number) => attempt);
  run(steps(delay(5), tried, () => 'id', asked.with('id')));
  run(steps(() => 'id', asked, delay(5), twice)); // prettier-ignore
  const nothing: Step<[], [number]>[] = [tried.with(), twice.with(), tried, twice];
  run(steps(nothing[0]!, nothing[1]!));
  // @ts-expect-error the number would be 42
  steps(() => 42, tried);
  // @ts-expect-error the same
  steps(() => 42, twice);
  // @ts-expect-error the same
  steps(() => 42, perhaps);
  // @ts-expect-error the same
  steps((asi) => asi.success('id', 42), asked);
  // @ts-expect-error an item isn't the number of an attempt
  map([42], { limit: 1 }, tried);
  const both = all(tried, step((_asi, id: string) => id)); // prettier-ignore
  // @ts-expect-error what one of them needs isn't for the other
  both.with('id');
  // @ts-expect-error the first is what the step finds, a text
  steps(() => 'id', retry({ max: 3 }, (_asi, attempt) => attempt.toFixed())); // prettier-ignore
  // @ts-expect-error the same
  steps(() => 'id', hedge({ after: 5 }, (_asi, attempt) => attempt.toFixed())); // prettier-ignore
}

/** Nobody would run a generator: what it yields or returns is no value. */
function generators(): void {
  const yields = step(function* () { yield 1; return 5; }); // prettier-ignore
  const async = step(async function* () { yield 1; }); // prettier-ignore
  // @ts-expect-error it leaves nothing that is a number
  run(yields).then((n: number) => n);
  // @ts-expect-error the same
  steps(async, (_asi, n: number) => n);
  // @ts-expect-error the same
  steps(function* () { yield 1; return 5; }, (_asi, n: number) => n); // prettier-ignore
  // @ts-expect-error the same
  const both: Step<[], [[number]]> = all(function* () { yield 1; }); // prettier-ignore
  void both;
}

function handlers(): void {
  const five = step(() => 5);
  const anywhere = (asi: IAsyncSteps, code: string) => code === 'E' && asi.success('any');
  five.onError((asi) => asi.success(6)).onError((asi, code) => void anywhere(asi, code));
  five.onError(anywhere).onError((asi) => void asi.add(profile.with('id')));
  const other = five.onError<[null]>((asi) => asi.success(null));
  same<typeof other, Step<[], [number] | [null]>>(true);
  run(other).then((value) => same<typeof value, number | null>(true));
  five.onError((asi, code) => asi.error(code)).onError((asi) => asi.add(() => 5));
  five.onError((_asi, code) => code === 'E' && step(() => 6)).onError(() => undefined);
  const found: Step<[id: string], [User | null]> = user;
  const repository: { find: Step<[string], [object]> } = { find: user.onError<[Page]>(() => {}) };
  void repository;
  // @ts-expect-error its value may be null
  const certain: Step<[id: string], [User]> = found;
  void certain;
  // @ts-expect-error a handler that only returns a value has not recovered
  five.onError(() => 5);
  // @ts-expect-error the same
  user.onError(() => []);
  // @ts-expect-error a handler isn't asynchronous
  five.onError(async () => {});
  // @ts-expect-error its value is a number
  five.onError((_asi) => step(() => 'x'));
  // @ts-expect-error its value is a number
  five.onError((asi) => asi.success('6'));
  // @ts-expect-error it has one value
  five.onError((asi) => asi.success(6, 7));
  // @ts-expect-error it has a value
  five.onError((asi) => asi.success());
  // @ts-expect-error a limit is a number
  five.timeout('5');
  // @ts-expect-error a name is a text
  five.named(5);
  five.onError(() => profile.with('id'));
  // @ts-expect-error a handler is a function, that may return a step
  five.onError(profile.with('id'));
  // @ts-expect-error there is no such wrapper
  five.race();
}

function bodies(asi: IAsyncSteps): void {
  asi.defer(() => profile.with('id'));
  // @ts-expect-error a deferred function is one, that may return a step
  asi.defer(profile.with('id'));
  // @ts-expect-error a cancel handler takes no time
  asi.setCancel(delay(1));
  // @ts-expect-error a handler is a function, that may return a step
  asi.add(() => {}, delay(1));
}

function flows(): void {
  const flow = new AsyncSteps<{ user: User }>();
  flow.state.user = { id: '5' };
  flow.add(
    (asi) => {
      same<typeof asi.state.user, User>(true);
      asi.add((inner) => same<typeof inner.state.user, User>(true));
      asi.repeat(2, (inner) => anyState(inner));
    },
    (asi) => same<typeof asi.state.error_info, string | undefined>(true),
  );
  flow.parallel().add((asi) => same<typeof asi.state.user, User>(true));
  const ofThat = (asi: IAsyncSteps<{ user: User }>) => asi.state.user.id;
  const anyState = (asi: IAsyncSteps) => asi.state['else'];
  flow.add(ofThat).add(steps(ofThat, (_asi, id) => same<typeof id, string>(true)));
  const plain: AsyncSteps = flow;
  plain.add(anyState).add(ofThat);
  const channel = new Channel<User>({ capacity: 1 });
  const received = step((asi) => channel.receive(asi));
  same<typeof received, Step<[], [User]>>(true);
  const outside = () => channel.receive();
  // @ts-expect-error there is no such key
  flow.add((asi) => asi.state.usr);
  same<ReturnType<typeof outside>, Promise<User>>(true);
  // @ts-expect-error a channel of users
  flow.add((asi) => channel.send(asi, 5));
  // @ts-expect-error a channel of users
  flow.add(() => channel.send(5));
}

describe('types of step values', () => {
  it('the example compiles and runs', async () => {
    expect(await example()).to.deep.equal(['2 to 42']);
  });

  it('the programs that compile are programs', () => {
    expect(
      [values, branches, kinds, attempts, generators, handlers, bodies, flows].every(
        (each) => each instanceof Function,
      ),
    ).to.equal(true);
  });
});
