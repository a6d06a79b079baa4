// The environment of an engine in memory: the real one, except that it keeps the process alive only while a workflow is
// under way. There is nothing to go on with later, so a program that forgets to close such an engine ends all the same.

import { SystemEnvironment } from "../clock/system-environment.ts";

export class UnrefEnvironment extends SystemEnvironment {
  #underWay = 0;

  constructor() {
    super();
    this.keepAlive(false);
  }

  /** Something is under way until the work ends, however it does. */
  async whileRunning<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#underWay++ === 0) this.keepAlive(true);
    try {
      return await work();
    } finally {
      if (--this.#underWay === 0) this.keepAlive(false);
    }
  }
}
