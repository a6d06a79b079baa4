// Secrets that no step requests: sinks sign with them.
//
//   NS1. They can be read while the engine closes, because the last events are signed, too.
//   NS2. Their values stay masked from then on (DATA-9).

import { SegnoError } from "@segno/kernel";
import type { Masker } from "./masker.ts";
import { Secrets } from "./secrets.ts";
import type { SecretSource } from "./source.ts";

export class NamedSecrets {
  readonly #secrets: Secrets;
  readonly #masker: Masker;
  readonly #held = new Set<string>();

  constructor(source: SecretSource, masker: Masker, timeoutMs: number) {
    this.#secrets = new Secrets({ source, masker, timeoutMs });
    this.#masker = masker;
  }

  /** Rejects if the secret is missing, too short or unavailable. */
  async read(name: string): Promise<string> {
    const resolved = await this.#secrets.resolve([name]);
    if (resolved.kind === "failure") throw new SegnoError("SINK_FAILED", resolved.failure.message);
    const value = resolved.values[name]!;
    if (!this.#held.has(value)) this.#masker.hold([value]);
    this.#held.add(value);
    return value;
  }
}
