// The environment of an engine in memory: the real one, except that it keeps the process alive only while a workflow is
// under way. There is nothing to go on with later, so a program that forgets to close such an engine ends all the same.

import type { EpochMs } from "@segno/kernel";
import { SystemEnvironment } from "../clock/system-environment.ts";

/** What a timer can wait for at most; a longer alarm rings early, finds nothing due and is set again. */
const TIMER_MAX_MS = 2_147_483_647;

export class IdleEnvironment extends SystemEnvironment {
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;

  override alarm(dueAt: EpochMs | undefined, ring: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (dueAt === undefined) return;
    this.#timer = setTimeout(ring, Math.min(Math.max(0, dueAt - this.now()), TIMER_MAX_MS));
    if (this.#underWay === 0) this.#timer.unref();
  }

  /** Something is under way until the work ends, however it does. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#underWay++;
    this.#timer?.ref();
    try {
      return await work();
    } finally {
      if (--this.#underWay === 0) this.#timer?.unref();
    }
  }
}
