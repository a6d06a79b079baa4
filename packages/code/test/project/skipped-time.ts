// The time of a test with real processes: the clocks of the system, which a test can set forward. A wait of the engine then
// ends at once, while agents, git and servers run as they do.

import { SystemEnvironment, type AlarmTime } from "@segno/engine";
import { epochMs, type EpochMs } from "@segno/kernel";

/** Shared by all engines of a test, also by those that it opens one after the other. */
export class SkippedTime {
  readonly #environments = new Set<SkippingEnvironment>();
  #skippedMs = 0;

  get skippedMs(): number {
    return this.#skippedMs;
  }

  /** The clocks of an engine. */
  environment(): SkippingEnvironment {
    const environment = new SkippingEnvironment(this);
    this.#environments.add(environment);
    return environment;
  }

  /** Sets both clocks forward. Whatever is due by then happens now. */
  skip(ms: number): void {
    this.#skippedMs += ms;
    for (const environment of this.#environments) environment.onSkip();
  }
}

class SkippingEnvironment extends SystemEnvironment {
  readonly #time: SkippedTime;
  #pending: { readonly due: AlarmTime; readonly ring: () => void } | undefined;

  constructor(time: SkippedTime) {
    super();
    this.#time = time;
  }

  override now(): EpochMs {
    return epochMs(super.now() + this.#time.skippedMs);
  }

  override monotonic(): number {
    return super.monotonic() + this.#time.skippedMs;
  }

  override alarm(due: AlarmTime | undefined, ring: () => void): void {
    this.#pending = due === undefined ? undefined : { due, ring };
    const { skippedMs } = this.#time;
    const real = due && { monotonic: due.monotonic - skippedMs, wall: due.wall - skippedMs };
    super.alarm(real, () => {
      this.#pending = undefined;
      ring();
    });
  }

  onSkip(): void {
    if (this.#pending !== undefined) this.alarm(this.#pending.due, this.#pending.ring);
  }
}
