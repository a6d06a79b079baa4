// Lets a main-thread agent call functions of modules on worker threads, within the agent's own attempt.
//
// It is for agents that assemble the input of a module themselves. If the workflow named the module as an agent, the
// module would get only the outputs of the step's direct dependencies.
//
//   MT1. If the step is aborted while a call runs, the thread of the call is terminated at once.
//   MT2. Text that a module writes to stdout and stderr goes to the log of the step.
//   MT3. A module must not add steps to the workflow. If its function returns an expansion, the steps are dropped and the
//        calling agent gets an empty expansion. If an agent with `mayExpand: false` passes that on, its attempt fails.

import type { Failure, JsonObject, Outcome } from "@segno/kernel";
import { expand } from "../../agents/expansion.ts";
import { skip } from "../../agents/skip.ts";
import type { StepContext } from "../../agents/step-context.ts";
import type { EventLoop } from "../../clock/system-ports.ts";
import { modulePath } from "../module-path.ts";
import { INHERITED_ENV_NAMES, inheritedEnv } from "../process/child-env.ts";
import { ModuleCall, type ModuleMask } from "./module-call.ts";
import { ThreadRunner, type ModuleResolver, type ThreadModule } from "./thread-runner.ts";

/** A file, by URL or path, or a package, and the name of its export (`default`). */
export interface ModuleFunction {
  readonly module: URL | string;
  readonly export?: string;
}

export interface ModuleThreadsOptions {
  /** The maximum number of threads, and so of concurrent calls. */
  readonly size: number;
  /** Schedules callbacks. */
  readonly eventLoop: EventLoop;
  /** Reports an uncaught error of a thread that ran no call. */
  readonly report: (error: unknown) => void;
  readonly mask: ModuleMask;
}

export class ModuleThreads {
  readonly #runner: ThreadRunner;
  readonly #mask: ModuleMask;
  readonly #modules = new WeakMap<object, ThreadModule>();

  constructor({ size, eventLoop, report, mask }: ModuleThreadsOptions) {
    this.#mask = mask;
    const modules: ModuleResolver = { resolve: (attempt) => this.#modules.get(attempt)! };
    const env = inheritedEnv([...INHERITED_ENV_NAMES, "NODE_*"], process.env);
    this.#runner = new ThreadRunner({ eventLoop: eventLoop, modules, report }, { size, env });
  }

  /** Calls the function with the input and returns its result. Rejects with its failure, or with the abort reason. */
  async run(
    { module, export: exportName = "default" }: ModuleFunction,
    input: JsonObject,
    step: StepContext,
  ): Promise<unknown> {
    const attempt = new ModuleCall(input, step, this.#mask);
    this.#modules.set(attempt, { path: modulePath(process.cwd(), String(module)), exportName });
    const running = this.#runner.start(attempt);
    const forceStop = (): void => running.abort(true, "the attempt was asked to stop");
    step.signal.addEventListener("abort", forceStop, { once: true });
    try {
      return outcomeValue(await attempt.outcome);
    } finally {
      step.signal.removeEventListener("abort", forceStop);
    }
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }
}

function outcomeValue(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case "succeeded":
      // The output of an attempt is always inline: values are stored by hash only when the engine commits them.
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

/** A failure as an error. Its code identifies it: all failures have this one JavaScript class. */
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
