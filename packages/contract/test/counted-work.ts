// How much a function does, counted and not timed: how often each block of code is entered, as V8 counts it for coverage. The
// same work gives the same number on every machine. Native code is not counted, such as a search in a text.

import { Session } from "node:inspector";
import { setFlagsFromString } from "node:v8";

interface Coverage {
  readonly result: readonly {
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

export function countedWork(work: () => unknown): number {
  return countEach([work])[0]!;
}

/** Counts them in one session: to begin one takes longer than most work, because V8 gives up all optimised code. */
function countEach(works: readonly (() => unknown)[]): readonly number[] {
  const session = new Session();
  session.connect();
  optimise(false);
  try {
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    takeCount(session);
    return works.map((work) => {
      work();
      return takeCount(session);
    });
  } finally {
    session.disconnect();
    optimise(true);
  }
}

/** Optimised code does not count; what was optimised before is given up when the counting begins. */
function optimise(isOn: boolean): void {
  for (const compiler of ["opt", "maglev"]) setFlagsFromString(`--${isOn ? "" : "no-"}${compiler}`);
}

/** How many times the work grows when its size is doubled: 2 for work in proportion to its size, 4 for squares. */
export function measureGrowth(size: number, work: (size: number) => unknown): number {
  return measureGrowths(size, [work])[0]!;
}

/** The growth of each of them. */
export function measureGrowths(size: number, works: readonly ((size: number) => unknown)[]): readonly number[] {
  // The first time, modules and tables are set up.
  for (const work of works) work(size);
  const counts = countEach(works.flatMap((work) => [() => work(2 * size), () => work(size)]));
  return works.map((_, index) => counts[2 * index]! / counts[2 * index + 1]!);
}

/** The sum of all counts since the last time; they begin again with 0. */
function takeCount(session: Session): number {
  let sum = 0;
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error;
    for (const { functions } of (coverage as Coverage).result)
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  });
  return sum;
}
