// The environment of an engine in memory: the real one, but it keeps the process alive only while a workflow runs. Such
// an engine has nothing to continue later, so a program that forgets to close it still exits.

import { SystemEnvironment } from "@segno/engine";

export class UnrefEnvironment extends SystemEnvironment {
  #underWay = 0;

  constructor() {
    super();
    this.keepAlive(false);
  }

  /** Keeps the process alive until `work` settles. */
  async whileRunning<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#underWay++ === 0) this.keepAlive(true);
    try {
      return await work();
    } finally {
      if (--this.#underWay === 0) this.keepAlive(false);
    }
  }
}
