// Idempotency keys of the reference model (IDEM-1, IDEM-2).

import type { StartDeed } from "../deeds.ts";
import type { ModelExecution } from "./model-execution.ts";

/** How long a key maps to its execution after success, to the millisecond. */
const KEY_LIFE_MS = 600_000;

interface Entry {
  readonly execution: ModelExecution;
  readonly payload: string;
}

export class ModelKeys {
  readonly #entries = new Map<string, Entry>();

  /** The answer to a start with a key; undefined if the start creates an execution. */
  look(deed: StartDeed, nowMs: number): string | undefined {
    const entry = deed.key === undefined ? undefined : this.#entries.get(deed.key);
    if (entry === undefined || !isHeld(entry, nowMs)) return undefined;
    return entry.payload === toPayload(deed) ? `started ${entry.execution.id}` : "refused IDEMPOTENCY_CONFLICT";
  }

  take(deed: StartDeed, execution: ModelExecution): void {
    if (deed.key !== undefined) this.#entries.set(deed.key, { execution, payload: toPayload(deed) });
  }
}

function isHeld({ execution: { base, endedAtMs } }: Entry, nowMs: number): boolean {
  if (base === "failed" || base === "cancelled") return false;
  return base !== "completed" || nowMs - endedAtMs <= KEY_LIFE_MS;
}

function toPayload({ workflow, input }: StartDeed): string {
  return JSON.stringify([workflow, input]);
}
