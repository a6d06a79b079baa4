// Code workflows go on in every process that runs steps. The package that runs them is loaded when the first step of one
// starts or when one comes from the journal, so other workflows do not pay for it; or at once, if a process before this one
// did not finish a stream of events.
//
//   CS1. The agents and the strategy exist before the engine, because it goes on with unfinished executions while it opens.

import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";

import type { CodeRuntimes, WorkflowStrategies } from "@segno/code";
import { CODE_AGENTS, isCodeWorkflow } from "@segno/code/code-agents";
import type { AgentFunction, CustomStrategy, Engine } from "@segno/engine";

import { journalFile, type JournalOptions } from "./journal-options.ts";
import type { OnFault } from "./work-options.ts";

export interface CodeStepsOutput {
  /** Writes the lines of a stream of type `stdout`; by default to stdout of this process. */
  readonly writeStdout?: (text: string) => void;
}

interface LoadedCode {
  readonly runtimes: CodeRuntimes;
  readonly steps: CodeRuntimes["steps"];
}

const connected = new WeakMap<Engine, CodeSteps>();

export class CodeSteps {
  readonly #journal: string;
  readonly #onFault: OnFault;
  readonly #output: CodeStepsOutput;
  readonly #engine = Promise.withResolvers<Engine>();
  #loading: Promise<LoadedCode> | undefined;
  #opening: Promise<WorkflowStrategies> | undefined;
  #strategies: WorkflowStrategies | undefined;

  constructor(options: JournalOptions, onFault: OnFault, output: CodeStepsOutput = {}) {
    this.#journal = resolve(journalFile(options));
    this.#onFault = onFault;
    this.#output = output;
  }

  /** For `Engine.open` (CS1). */
  get agents(): Readonly<Record<string, AgentFunction>> {
    const run =
      (name: string): AgentFunction =>
      async (input, context) =>
        await (
          await this.#load()
        ).steps[name]!(input, context);
    return Object.fromEntries(Object.values(CODE_AGENTS).map((name) => [name, run(name)]));
  }

  /** For `Engine.open`: the strategies that the configurations of code workflows name. */
  get strategy(): CustomStrategy {
    return {
      covers: (execution) => this.#strategies?.covers(execution) ?? false,
      select: (ready, context) => this.#strategies!.select(ready, context),
      load: async (execution) => {
        if (isCodeWorkflow(execution.state.program.definition)) await (await this.#openStrategies()).load(execution);
      },
    };
  }

  connect(engine: Engine): void {
    connected.set(engine, this);
    this.#engine.resolve(engine);
    if (!existsSync(join(dirname(this.#journal), "streams"))) return;
    const resume = async (): Promise<void> => await (await this.#load()).runtimes.resumeStreams();
    resume().catch((error: unknown) => this.#onFault(error, undefined, 0));
  }

  /** Streams get the last events of code workflows that have ended. */
  async settle(): Promise<void> {
    const code = await this.#loading?.catch(() => undefined);
    await code?.runtimes.settle();
  }

  #load(): Promise<LoadedCode> {
    return (this.#loading ??= this.#loadCode());
  }

  async #loadCode(): Promise<LoadedCode> {
    const engine = await this.#engine.promise;
    const { CodeRuntimes } = await import("@segno/code");
    const { writeStdout } = this.#output;
    const runtimes = new CodeRuntimes(engine, {
      executorId: `${hostname()}:${this.#journal}`,
      folder: dirname(this.#journal),
      strategies: await this.#openStrategies(),
      onError: (error, suppressed) => this.#onFault(error, undefined, suppressed),
      ...(writeStdout === undefined ? {} : { writeStdout }),
    });
    return { runtimes, steps: runtimes.steps };
  }

  #openStrategies(): Promise<WorkflowStrategies> {
    this.#opening ??= import("@segno/code").then(({ WorkflowStrategies }) => {
      this.#strategies = new WorkflowStrategies();
      return this.#strategies;
    });
    return this.#opening;
  }
}

/** Call it before the engine is closed. */
export async function settleCodeSteps(engine: Engine): Promise<void> {
  await connected.get(engine)?.settle();
}
