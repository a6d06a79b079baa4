// Opens engines for commands: to read, to send a command, or to run steps.

import { existsSync } from "node:fs";

import {
  Engine,
  environmentSecrets,
  fileSecrets,
  firstSource,
  type EngineOptions,
  type SecretSource,
} from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import type { RegisteredModules } from "../document/registered-modules.ts";
import { CodeSteps, type CodeStepsOutput } from "./code-steps.ts";
import { journalFile, requireJournal, type JournalOptions } from "./journal-options.ts";
import { handleUncaughtErrors } from "./uncaught-errors.ts";
import type { OnFault, WorkOptions } from "./work-options.ts";
import { announce, keepNote } from "./worker-note.ts";

/** The view shows the log lines of steps. Log lines of the engine itself would break the drawing of the view. */
const SILENT: NonNullable<EngineOptions["logger"]> = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => SILENT,
};

function ignore(): void {}

const IGNORE: OnFault = () => undefined;

/** Opens the journal read-only. */
export async function openToRead(options: JournalOptions): Promise<Engine> {
  return Engine.open({ file: requireJournal(options), mode: "readOnly", onFault: IGNORE });
}

/**
 * Opens an engine that sends a command to an execution: through the inbox if another process owns the journal, otherwise as
 * its owner for a moment. The engine has no slots, so it starts no steps of unfinished executions.
 */
export async function openToAsk(options: JournalOptions): Promise<Engine> {
  return Engine.open({ file: requireJournal(options), resume: "own", limits: { slots: 0 }, onFault: IGNORE });
}

/** Like `openToAsk`, and creates the journal if there is none. */
export async function openToRecord(options: WorkOptions): Promise<Engine> {
  const { secrets } = options;
  const onFault = IGNORE;
  return Engine.open({
    file: journalFile(options),
    resume: "own",
    limits: { slots: 0 },
    onFault,
    ...(secrets === undefined ? {} : { secrets: openSecrets(secrets, onFault) }),
  });
}

/** Opens an engine that runs steps: of all unfinished executions, or only of those that this process starts or retries. */
export async function openToWork(
  options: WorkOptions,
  onFault: OnFault,
  resume: NonNullable<EngineOptions["resume"]>,
  output: CodeStepsOutput = {},
): Promise<Engine> {
  const { slots, secrets, allowPrivateNetwork } = options;
  let engine: Engine | undefined = undefined;
  // Before the engine opens, because it starts steps of unfinished executions while it opens.
  handleUncaughtErrors((text) => engine?.mask(text) ?? text, onFault);
  announce(options);
  const code = new CodeSteps(options, onFault, output);
  const { workflows, agents } = await importAll(options.import ?? []);
  engine = await Engine.open({
    file: journalFile(options),
    resume,
    logger: SILENT,
    functionOutput: "log",
    onFault,
    workflows,
    agents: { ...agents, ...code.agents },
    strategy: code.strategy,
    ...(slots === undefined ? {} : { limits: { slots } }),
    ...(secrets === undefined ? {} : { secrets: openSecrets(secrets, onFault) }),
    ...(allowPrivateNetwork === true ? { http: { allowPrivate: true } } : {}),
  });
  code.connect(engine);
  keepNote(engine, options);
  return engine;
}

/** Before the engine opens, because it continues unfinished executions while it opens. */
async function importAll(files: readonly string[]): Promise<RegisteredModules> {
  if (files.length === 0) return { workflows: [], agents: {} };
  const { importRegistered } = await import("../document/registered-modules.ts");
  return importRegistered(files);
}

/** A secret that the file does not have is searched in the environment. */
export function openSecrets(file: string, onFault: OnFault): SecretSource {
  if (!existsSync(file)) throw new SegnoError("SECRET_UNAVAILABLE", `there is no file or folder ${file} with secrets`);
  const warn = (message: string): void => onFault(new Error(message), undefined, 0);
  return firstSource([fileSecrets(file, { warn }), environmentSecrets(process.env)]);
}
