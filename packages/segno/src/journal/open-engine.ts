// Engines for the command: one that looks, one that asks for something, one that works.

import { existsSync } from "node:fs";

import { Engine, environmentSecrets, fileSecrets, firstSource, type EngineOptions } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { journalFile, requireJournal, type JournalOptions } from "./journal-options.ts";
import { handleUncaughtErrors } from "./uncaught-errors.ts";
import type { OnFault, WorkOptions } from "./work-options.ts";
import { announce, keepNote } from "./worker-note.ts";

/** What steps log is shown with what they print; lines of the engine's own would tear the view apart. */
const SILENT: NonNullable<EngineOptions["logger"]> = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => SILENT,
};

function ignore(): void {}

const IGNORE: OnFault = () => undefined;

/** Looks, and changes nothing. */
export async function openToRead(options: JournalOptions): Promise<Engine> {
  return Engine.open({ file: requireJournal(options), mode: "readOnly", onFault: IGNORE });
}

/**
 * Asks something of an execution: through the inbox where another process owns the journal, otherwise as its owner for a
 * moment. It has no slots, so nothing of what is unfinished is begun by the way.
 */
export async function openToAsk(options: JournalOptions): Promise<Engine> {
  return Engine.open({ file: requireJournal(options), resume: "own", limits: { slots: 0 }, onFault: IGNORE });
}

/** The same where there need not be a journal yet. */
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

/** Goes on with everything that is unfinished, or only with what is started or asked for here. */
export async function openToWork(
  options: WorkOptions,
  onFault: OnFault,
  resume: NonNullable<EngineOptions["resume"]>,
): Promise<Engine> {
  const { slots, secrets, allowPrivateNetwork } = options;
  let engine: Engine | undefined = undefined;
  // Before it is open: steps of unfinished executions run by then.
  handleUncaughtErrors((text) => engine?.mask(text) ?? text, onFault);
  announce(options);
  engine = await Engine.open({
    file: journalFile(options),
    resume,
    logger: SILENT,
    functionOutput: "log",
    onFault,
    ...(slots === undefined ? {} : { limits: { slots } }),
    ...(secrets === undefined ? {} : { secrets: openSecrets(secrets, onFault) }),
    ...(allowPrivateNetwork === true ? { http: { allowPrivate: true } } : {}),
  });
  keepNote(engine, options);
  return engine;
}

/** What the file does not have is looked for in the environment, as without it. */
function openSecrets(file: string, onFault: OnFault): NonNullable<EngineOptions["secrets"]> {
  if (!existsSync(file)) throw new SegnoError("SECRET_UNAVAILABLE", `there is no file or folder ${file} with secrets`);
  const warn = (message: string): void => onFault(new Error(message), undefined, 0);
  return firstSource([fileSecrets(file, { warn }), environmentSecrets(process.env)]);
}
