import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { journalFile, type JournalOptions } from "./journal-options.ts";

/** Throws ENGINE_NOT_OWNER if another process owns the journal. `action` completes "only the owner can". */
export function requireOwner(engine: Engine, options: JournalOptions, action: string): void {
  if (engine.isOwner) return;
  throw new SegnoError(
    "ENGINE_NOT_OWNER",
    `another process owns ${journalFile(options)}, and only the owner can ${action}; end that process first`,
  );
}
