// The engine of an executor that was given none.

import { Engine } from "@segno/engine";
import type { ExecutorConfig } from "../config/executor-config.ts";
import { CodeError } from "../errors/code-error.ts";
import type { CodeStrategy } from "../scheduling/code-strategy.ts";
import { slotsFor } from "./code-settings.ts";

/** Options of the engine that an executor opens itself. */
export interface OwnEngineOptions {
  /** The journal of the executor's own engine. The default is `.segno/segno.db` in the working folder, as for the command. */
  readonly file?: string;
  /** `"none"`: workflows end with the process. For tests, beside ports in memory. */
  readonly store?: "none";
}

/** The slots of an engine by default. */
const SLOTS_MIN = 10;

/** Steps run with the ports of the process that owns the journal, so this has to be the one (LEASE-1). */
export async function openOwnEngine(
  { file, store }: OwnEngineOptions,
  config: ExecutorConfig,
  strategy: CodeStrategy | undefined,
): Promise<Engine> {
  const engine = await Engine.open({
    ...(store === undefined ? {} : { store }),
    ...(file === undefined ? {} : { file }),
    limits: { slots: Math.max(SLOTS_MIN, slotsFor(config)) },
    ...(strategy === undefined ? {} : { strategy }),
  });
  if (engine.isOwner) return engine;
  await engine.close();
  throw new CodeError(
    "JOURNAL_IN_USE",
    `another executor or process runs the workflows of ${file ?? "`.segno/segno.db`"}; close it, or give this executor another \`file\``,
  );
}
