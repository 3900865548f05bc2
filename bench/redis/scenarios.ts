/** What is measured over Redis: each program of bench/js/redis, by how many processes, with how many lines. */

export interface Scenario {
  readonly name: string;
  readonly program: string;
  readonly processes: number;
  /** Of all processes. */
  readonly lines: number;
  readonly title: string;
  /** Subjects of which there is no row, and why. */
  readonly without?: Readonly<Record<string, string>>;
}

const titles: Readonly<Record<string, string>> = {
  sections: 'sections of one lock, which 64 lines want',
  own: 'sections, each line with a lock of its own',
  admissions: 'admissions by a rate that is never reached, 64 at a time',
  refusals: 'refusals by a rate that is reached, 64 at a time',
  jobs: 'jobs, each of which enqueues the next of its chain, 64 chains',
  calls: 'calls that are answered at once, 64 at a time, by the processes that call',
};

const sizes = { '10': 10, '1k': 1_000, '100k': 100_000 };

const crowds = Object.entries(titles).flatMap(([program, what]) =>
  [1, 8, 64].map((processes): Scenario => {
    const title = `${what}; ${processes === 1 ? 'one process' : `${processes} processes`}`;
    return { name: `${program}_${processes}p`, program, processes, lines: 64, title };
  }),
);

const slow = {
  redlock: 'its 100,000 lines ask every 10 to 20 ms: Redis answers in turns of many seconds',
};

const waiting = Object.entries(sizes).flatMap(([size, lines]): Scenario[] => {
  const many = lines.toLocaleString('en-US');
  const common = { processes: 2, lines, ...(lines > 1000 && { without: slow }) };
  return [
    {
      ...common,
      name: `waiting_sections_${size}`,
      program: 'sections',
      title: `sections of one lock, which ${many} lines want; two processes`,
    },
    {
      ...common,
      name: `waiting_jobs_${size}`,
      program: 'jobs',
      title: `jobs, ${many} of which wait; two processes`,
    },
  ];
});

export const scenarios: readonly Scenario[] = [...crowds, ...waiting];

export interface Subject {
  /** Its file. */
  readonly stem: string;
  readonly name: string;
  readonly programs: readonly string[];
  /** Its program below build/, where it isn't one of Node. */
  readonly native?: string;
  /** It's steptree, too: no peer. */
  readonly isOwn?: boolean;
}

const guards = ['sections', 'own', 'admissions', 'refusals'];

export const subjects: readonly Subject[] = [
  { stem: 'steptree', name: 'steptree', programs: [...guards, 'jobs', 'calls'], isOwn: true },
  {
    stem: 'steptree-cpp',
    name: 'steptree (C++)',
    programs: ['calls'],
    native: 'counts/bench/cpp/bench-redis',
    isOwn: true,
  },
  { stem: 'redlock', name: 'redlock', programs: ['sections', 'own'] },
  { stem: 'bottleneck', name: 'Bottleneck', programs: ['sections', 'own', 'admissions'] },
  {
    stem: 'rate-limiter-flexible',
    name: 'rate-limiter-flexible',
    programs: ['admissions', 'refusals'],
  },
  { stem: 'bullmq', name: 'BullMQ', programs: ['jobs', 'calls'] },
];

export interface Cell {
  readonly scenario: Scenario;
  readonly subject: Subject;
}

/** One after the other, every second time in the opposite order: what the machine does beside it hits all alike. */
export function cellsOf(chosen: readonly Scenario[], repetition: number): Cell[] {
  return chosen.flatMap((scenario) => {
    const able = subjects.filter(
      ({ stem, programs }) =>
        programs.includes(scenario.program) && scenario.without?.[stem] === undefined,
    );
    const ordered = repetition % 2 === 0 ? able : [...able].reverse();
    return ordered.map((subject) => ({ scenario, subject }));
  });
}
