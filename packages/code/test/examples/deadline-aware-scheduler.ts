// A scheduling strategy: what is urgent, and what holds up others, comes first.

import type { SchedulingStrategy, Task } from "../../src/index.ts";

const DAY_MS = 86_400_000;

export class DeadlineAwareScheduler implements SchedulingStrategy {
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  selectTask(readyTasks: readonly Task[]): Task {
    return readyTasks.reduce((highest, task) => (this.#urgency(task) > this.#urgency(highest) ? task : highest));
  }

  #urgency(task: Task): number {
    return task.priority + this.#daysUntilDeadline(task) * -10 + task.blockedTasks.length * 5;
  }

  /** A task without a deadline counts as due in a year. */
  #daysUntilDeadline({ deadline }: Task): number {
    return deadline === undefined ? 365 : (Date.parse(deadline) - this.#now()) / DAY_MS;
  }
}
