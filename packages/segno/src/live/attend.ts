// Attending an execution in the foreground: it is shown until it ends, and whoever sits there can stop it.
//
//   A1. Ctrl-C or SIGTERM once cancels, and says so; the execution has its grace. Once more forces: it is cancelled without
//       grace, and when that does not end it at once, the command ends without it.
//   A2. A terminal that is closed, SIGQUIT, and output that nobody reads any more cancel nothing: the execution is let go, and
//       goes on with `segno work`. Its commands are ended.
//   A3. `--timeout` cancels, too, and ends with 124.
//   A4. Where another process runs the execution, that one may be stopped, or gone to sleep. When it has not taken the
//       cancellation some time after the grace, the command ends without it; the cancellation stays posted.

import type { CancelOptions } from "@segno/engine";

import { EXIT_CODES, exitCodeOfExecution, type ExitCode } from "../exit-code.ts";
import { durationText } from "../plan/duration-text.ts";
import { safeText } from "../terminal/safe-text.ts";
import { whenNobodyReads } from "../terminal/terminal.ts";
import { follow, type Followed } from "./follow.ts";
import type { StopSignal, StopSignals } from "./stop-signals.ts";

export interface Attended extends Followed {
  readonly signals: StopSignals;
  /** What a step has to clean up, for people. */
  readonly graceMs: number;
  readonly timeoutMs?: number;
}

/** How it came to an end here; the execution itself may go on when it was let go. */
export interface Attendance {
  readonly exitCode: ExitCode;
  readonly isLetGo: boolean;
}

/** How long forcing may take before the command ends without it. */
const FORCE_MS = 2000;

export async function attend(attended: Attended): Promise<Attendance> {
  const { progress, view, signals, graceMs, timeoutMs } = attended;
  const { promise: letGo, resolve: leave } = Promise.withResolvers<"let-go">();
  const canceller = new Canceller(attended, () => leave("let-go"));
  signals.listen((signal, count) => canceller.stop(signal, count, graceMs));
  whenNobodyReads(() => leave("let-go"));
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => canceller.timeOut(timeoutMs), timeoutMs);
  try {
    const end = await Promise.race([follow(attended), letGo]);
    view.close();
    const isLetGo = end === "let-go";
    if (!isLetGo && progress.status === "completed") return { exitCode: EXIT_CODES.ok, isLetGo };
    const forced = canceller.isTimedOut ? EXIT_CODES.timeout : signals.exitCode;
    const left = isLetGo ? EXIT_CODES.hungUp : exitCodeOfExecution(progress.status, progress.failure);
    return { exitCode: forced ?? left, isLetGo };
  } finally {
    clearTimeout(timer);
    view.close();
  }
}

class Canceller {
  readonly #attended: Attended;
  readonly #leave: () => void;
  isTimedOut = false;

  constructor(attended: Attended, leave: () => void) {
    this.#attended = attended;
    this.#leave = leave;
  }

  stop(signal: StopSignal, count: number, graceMs: number): void {
    const { view } = this.#attended;
    if (signal === "SIGHUP" || signal === "SIGQUIT") return this.#leave();
    if (count === 1) {
      const grace = durationText(graceMs);
      view.say(`cancelling; steps have ${grace} to clean up; press Ctrl-C again to force`);
      this.#cancel({ reason: signal === "SIGINT" ? "interrupted with Ctrl-C" : "ended by SIGTERM" });
      this.#leaveSilentOwner();
      return;
    }
    view.say("forcing it to end");
    this.#cancel({ reason: "forced", graceMs: 0 });
    setTimeout(this.#leave, FORCE_MS).unref();
  }

  timeOut(timeoutMs: number): void {
    this.isTimedOut = true;
    const reason = `it took longer than ${durationText(timeoutMs)} (--timeout)`;
    this.#attended.view.say(`cancelling: ${reason}`);
    this.#cancel({ reason });
    this.#leaveSilentOwner();
  }

  /** A4. The execution ends within its grace where somebody takes the cancellation. */
  #leaveSilentOwner(): void {
    const { engine, graceMs } = this.#attended;
    if (!engine.isOwner) setTimeout(this.#leave, graceMs + FORCE_MS).unref();
  }

  #cancel(options: CancelOptions): void {
    const { handle, view } = this.#attended;
    // One that has just ended is told by its events.
    handle.cancel(options).catch((error: unknown) => {
      view.say(`it cannot be cancelled: ${safeText((error as Error).message)}`);
    });
  }
}
