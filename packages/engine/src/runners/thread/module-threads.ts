// Runs functions of modules on worker threads, for agents that assemble the input of a module themselves.
//
// The module is not an agent of the workflow: the thread of an agent would only get the outputs of direct dependencies.
// Instead this class runs it, with a thread runner of its own, inside the attempt of the agent's step.
//
//   MT1. A call whose step is told to stop terminates its thread at once.
//   MT2. Text that a module writes to stdout and stderr goes to the log of the step.
//   MT3. A module must not add steps to the workflow. If its function returns an expansion, the caller gets an
//        expansion without steps. If the caller returns it and has `mayExpand: false`, the engine fails the attempt.

import type { Failure, JsonObject, Outcome } from "@segno/kernel";
import { expand } from "../../agents/expansion.ts";
import { skip } from "../../agents/skip.ts";
import type { StepContext } from "../../agents/step-context.ts";
import type { Environment } from "../../clock/environment.ts";
import { modulePath } from "../module-agent.ts";
import { INHERITED_VARIABLES, inheritedVariables } from "../process/child-variables.ts";
import { ModuleCall } from "./module-call.ts";
import { ThreadRunner, type ModuleResolver, type ThreadModule } from "./thread-runner.ts";

/** A file, by URL or path, or a package, and the name of its export (`default`). */
export interface ModuleFunction {
  readonly module: URL | string;
  readonly export?: string;
}

export interface ModuleThreadsOptions {
  /** The maximum number of threads, and so of concurrent calls. */
  readonly size: number;
  /** The engine's clock and task queue, not environment variables. */
  readonly environment: Pick<Environment, "soon">;
  /** Reports errors of threads that had no work. */
  readonly report: (error: unknown) => void;
}

export class ModuleThreads {
  readonly #runner: ThreadRunner;
  readonly #modules = new WeakMap<object, ThreadModule>();

  constructor({ size, environment, report }: ModuleThreadsOptions) {
    const modules: ModuleResolver = { resolve: (attempt) => this.#modules.get(attempt)! };
    const env = inheritedVariables([...INHERITED_VARIABLES, "NODE_*"], process.env);
    this.#runner = new ThreadRunner({ environment, modules, report }, { size, env });
  }

  /** Calls the function with the input and returns its result; rejects with its failure, or with the reason of a stop. */
  async run(
    { module, export: exportName = "default" }: ModuleFunction,
    input: JsonObject,
    step: StepContext,
  ): Promise<unknown> {
    const attempt = new ModuleCall(input, step);
    this.#modules.set(attempt, { path: modulePath(process.cwd(), String(module)), exportName });
    const running = this.#runner.start(attempt);
    const stop = (): void => running.abort(true, "the attempt was asked to stop");
    step.signal.addEventListener("abort", stop, { once: true });
    try {
      return outcomeValue(await attempt.outcome);
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
      // MT3.
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
