// Runs modules on worker threads, as many at once as the engine has workers (ENGINES-3, ruling 40).
//
// The context of a task is assembled in this thread, so its module is not an agent of the workflow: the thread of an
// agent would only get the outputs of direct dependencies. Instead this class runs it, with a thread runner of its own.
//
//   D1. An attempt that is told to stop terminates its thread at once.
//   D2. Output of a module to stdout and stderr goes to the log of the task.

import type { Failure, Outcome } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import { modulePath } from "../runners/module-agent.ts";
import { INHERITED_VARIABLES, inheritedVariables } from "../runners/process/child-environment.ts";
import { expand } from "../agents/expansion.ts";
import { skip } from "../agents/skip.ts";
import type { StepContext } from "../agents/step-context.ts";
import { ThreadRunner, type ModuleResolver, type ThreadModule } from "../runners/thread/thread-runner.ts";
import { plainContext } from "./task-context.ts";
import type { TaskContext, TaskModule } from "./task-definition.ts";
import { ThreadTask } from "./thread-task.ts";

export class ModuleThreads {
  readonly #runner: ThreadRunner;
  readonly #modules = new WeakMap<object, ThreadModule>();

  constructor(size: number, environment: Pick<Environment, "soon">, report: (error: unknown) => void) {
    const modules: ModuleResolver = { resolve: (attempt) => this.#modules.get(attempt)! };
    const env = inheritedVariables([...INHERITED_VARIABLES, "NODE_*"], process.env);
    this.#runner = new ThreadRunner({ environment, modules, report }, { size, env });
  }

  async run(
    { module, export: exportName = "default" }: TaskModule,
    context: TaskContext,
    step: StepContext,
  ): Promise<unknown> {
    const task = new ThreadTask(plainContext(context), step);
    this.#modules.set(task, { path: modulePath(process.cwd(), String(module)), exportName });
    const running = this.#runner.start(task);
    const stop = (): void => running.abort(true, "it was told to stop");
    step.signal.addEventListener("abort", stop, { once: true });
    try {
      return outcomeValue(await task.outcome);
    } finally {
      step.signal.removeEventListener("abort", stop);
    }
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }
}

function outcomeValue(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case "succeeded":
      return outcome.output.kind === "inline" ? outcome.output.json : null;
    case "skipped":
      return skip(outcome.message);
    case "failed":
      throw new ThreadError(outcome.failure);
    case "expanded":
      // The task agent reports that expansion is not allowed.
      return expand([]);
  }
}

/** A failure as an error. Its code identifies it, whatever its class. */
class ThreadError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, status, retryAfter, cause }: Failure) {
    super(message, cause === undefined ? {} : { cause: new ThreadError(cause) });
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfter;
  }
}
