// Idempotency keys of the reference model (IDEM-1, IDEM-2).

import type { StartDeed } from "../deeds.ts";
import type { ModelExecution } from "./model-execution.ts";

/** For so long after its success an execution is found by its key, to the millisecond. */
const KEY_LIFE_MS = 600_000;

interface Entry {
  readonly execution: ModelExecution;
  readonly payload: string;
}

export class ModelKeys {
  readonly #entries = new Map<string, Entry>();

  /** What a start with a key is answered; nothing when it makes an execution of its own. */
  look(deed: StartDeed, nowMs: number): string | undefined {
    const entry = deed.key === undefined ? undefined : this.#entries.get(deed.key);
    if (entry === undefined || !isHeld(entry, nowMs)) return undefined;
    return entry.payload === payloadOf(deed) ? `started ${entry.execution.id}` : "refused IDEMPOTENCY_CONFLICT";
  }

  take(deed: StartDeed, execution: ModelExecution): void {
    if (deed.key !== undefined) this.#entries.set(deed.key, { execution, payload: payloadOf(deed) });
  }
}

function isHeld({ execution: { base, endedAtMs } }: Entry, nowMs: number): boolean {
  if (base === "failed" || base === "cancelled") return false;
  return base !== "completed" || nowMs - endedAtMs <= KEY_LIFE_MS;
}

function payloadOf({ workflow, input }: StartDeed): string {
  return JSON.stringify([workflow, input]);
}
