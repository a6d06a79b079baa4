// Remedies for users of the command, for errors of the engine: the engine's own remedies name no command.

import type { EngineErrorCode } from "@segno/engine/error-codes";
import type { KernelErrorCode } from "@segno/kernel";

export const COMMAND_REMEDIES: Readonly<Partial<Record<KernelErrorCode | EngineErrorCode, string>>> = {
  NOT_UNDONE: "`segno retry --undo` runs the compensation again.",
  COMMAND_FAILED: "`segno logs` shows the output.",
  HTTP_ADDRESS_REFUSED: "`segno work --allow-private-network` sets that option.",
  SECRET_MISSING: "`segno work --secrets <file>` reads the secrets from a file and continues the execution.",
  JOURNAL_MISSING: "`segno run` creates a journal; `--db` names another file.",
  STORE_CORRUPT:
    "`segno db check` lists the damage; `segno db recover` ends the quarantine of an execution that is not damaged.",
  JOURNAL_DAMAGED: "The commands are `segno db export` and `segno db import`.",
  PROJECTION_WRONG: "The command is `segno db repair`.",
  STORE_LINKED: "The command is `segno db backup`.",
  STORE_FOREIGN: "`segno list` shows its executions; `segno work --yes` accepts it.",
  STEP_UNKNOWN: "`segno show` lists the steps of an execution.",
};
