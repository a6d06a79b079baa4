// Code workflows go on in every process that runs steps. The package that runs them is loaded when the first step of one
// starts, so other workflows do not pay for it.

import { hostname } from "node:os";
import { resolve } from "node:path";

import { CODE_AGENTS } from "@segno/code/code-agents";
import type { AgentFunction, Engine } from "@segno/engine";

import { journalFile, type JournalOptions } from "./journal-options.ts";

type CodeSteps = Readonly<Record<string, AgentFunction>>;

export function registerCodeSteps(engine: Engine, options: JournalOptions): void {
  let loading: Promise<CodeSteps> | undefined;
  const load = (): Promise<CodeSteps> => (loading ??= loadSteps(engine, resolve(journalFile(options))));
  for (const name of Object.values(CODE_AGENTS))
    engine.agent(name, async (input, context) => await (await load())[name]!(input, context));
}

async function loadSteps(engine: Engine, journal: string): Promise<CodeSteps> {
  const { CodeRuntimes } = await import("@segno/code");
  return new CodeRuntimes(engine, { executorId: `${hostname()}:${journal}` }).steps;
}
