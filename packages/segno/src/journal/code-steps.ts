// Code workflows go on in every process that runs steps. The package that runs them is loaded when the first step of one
// starts, so other workflows do not pay for it; or at once, if a process before this one did not finish a stream of events.

import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";

import type { CodeRuntimes } from "@segno/code";
import { CODE_AGENTS } from "@segno/code/code-agents";
import type { Engine } from "@segno/engine";

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

const loaded = new WeakMap<Engine, Promise<LoadedCode>>();

export function registerCodeSteps(
  engine: Engine,
  options: JournalOptions,
  onFault: OnFault,
  output: CodeStepsOutput = {},
): void {
  const journal = resolve(journalFile(options));
  const load = (): Promise<LoadedCode> => {
    const known = loaded.get(engine) ?? loadCode(engine, journal, onFault, output);
    loaded.set(engine, known);
    return known;
  };
  for (const name of Object.values(CODE_AGENTS))
    engine.agent(name, async (input, context) => await (await load()).steps[name]!(input, context));
  if (!existsSync(join(dirname(journal), "streams"))) return;
  const resume = async (): Promise<void> => await (await load()).runtimes.resumeStreams();
  resume().catch((error: unknown) => onFault(error, undefined, 0));
}

/** Call it before the engine is closed: streams get the last events of code workflows that have ended. */
export async function settleCodeSteps(engine: Engine): Promise<void> {
  const code = await loaded.get(engine)?.catch(() => undefined);
  await code?.runtimes.settle();
}

async function loadCode(
  engine: Engine,
  journal: string,
  onFault: OnFault,
  { writeStdout }: CodeStepsOutput,
): Promise<LoadedCode> {
  const { CodeRuntimes } = await import("@segno/code");
  const runtimes = new CodeRuntimes(engine, {
    executorId: `${hostname()}:${journal}`,
    folder: dirname(journal),
    onError: (error, suppressed) => onFault(error, undefined, suppressed),
    ...(writeStdout === undefined ? {} : { writeStdout }),
  });
  return { runtimes, steps: runtimes.steps };
}
