// Fault reports, each at most once a minute: a full disk fails every commit of every execution, and ten thousand equal
// reports add nothing.
//
//   F1. Faults with the same code and the same message have the same cause.
//   F2. Suppressed reports are counted. The count comes with the next report of the same cause, or when the engine
//       closes.
//   F3. The number of causes per minute is limited. All causes beyond the limit count as one.
//   F4. Any value may be thrown, including one that throws when it is inspected; it is reported as an unreadable error.

import { SegnoError, type ExecutionId } from "@segno/kernel";

/** `suppressed` counts the equal faults since the last report. */
export type ReportFault = (error: unknown, execution: ExecutionId | undefined, suppressed: number) => void;

interface Cause {
  readonly reportedAtMs: number;
  suppressed: number;
  last: unknown;
}

const QUIET_MS = 60_000;
const CAUSES_MAX = 100;
const OTHERS = "others";

export class FaultReports {
  readonly #report: ReportFault;
  readonly #monotonicMs: () => number;
  readonly #causes = new Map<string, Cause>();

  constructor(report: ReportFault, monotonicMs: () => number) {
    this.#report = report;
    this.#monotonicMs = monotonicMs;
  }

  readonly report = (given: unknown, execution: ExecutionId | undefined): void => {
    const error = readable(given);
    const key = this.#boundedKey(error);
    const cause = this.#causes.get(key);
    if (cause !== undefined && this.#isRecent(cause)) {
      cause.suppressed++;
      cause.last = error;
      return;
    }
    this.#causes.delete(key);
    this.#causes.set(key, { reportedAtMs: this.#monotonicMs(), suppressed: 0, last: error });
    this.#report(error, execution, cause?.suppressed ?? 0);
  };

  /** Reports the suppressed faults. */
  close(): void {
    for (const { last, suppressed } of this.#causes.values())
      if (suppressed > 0) this.#report(last, undefined, suppressed);
    this.#causes.clear();
  }

  #boundedKey(error: unknown): string {
    const key = causeKey(error);
    if (this.#causes.has(key) || this.#causes.size < CAUSES_MAX) return key;
    this.#forgetOld();
    return this.#causes.size < CAUSES_MAX ? key : OTHERS;
  }

  #forgetOld(): void {
    for (const [key, cause] of this.#causes)
      if (cause.suppressed === 0 && !this.#isRecent(cause)) this.#causes.delete(key);
  }

  #isRecent({ reportedAtMs }: Cause): boolean {
    return this.#monotonicMs() - reportedAtMs < QUIET_MS;
  }
}

function causeKey(error: unknown): string {
  if (error instanceof SegnoError) return `${error.code} ${error.message}`;
  return error instanceof Error ? `${error.name} ${error.message}` : typeof error;
}

function readable(error: unknown): unknown {
  try {
    causeKey(error);
    return error;
  } catch {
    return new Error("the error cannot be read");
  }
}
