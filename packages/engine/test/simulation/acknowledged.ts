// Claims about acknowledged starts and commands (LEASE-5).
//
//   U5. The execution with the id of an acknowledged start is the one that was started.
//   U6. When a direct command is answered, no command waits that was posted for its execution before it was sent.

import type { ExecutionId } from "@segno/kernel";
import type { MessageId } from "../../src/store/store.ts";
import type { Ledger } from "./ledger.ts";

export class Acknowledged {
  readonly #ledger: Ledger;
  readonly #fail: (claim: string) => void;
  readonly #workflows = new Map<ExecutionId, string>();

  constructor(ledger: Ledger, fail: (claim: string) => void) {
    this.#ledger = ledger;
    this.#fail = fail;
  }

  /** A start without a key: a start with one may join another execution. */
  onStarted(id: ExecutionId, workflow: string): void {
    const before = this.#workflows.get(id);
    if (before !== undefined) this.#fail(`U5 two starts of ${id} were acknowledged: ${before} and ${workflow}`);
    this.#workflows.set(id, workflow);
  }

  /** Called when a direct command is sent. The result is called when it is answered. */
  onSent(what: string, id: ExecutionId): () => void {
    const before = this.#ledger.untakenCommands(id);
    return () => {
      const left = new Set<MessageId>(this.#ledger.untakenCommands(id));
      const overtaken = before.filter((message) => left.has(message));
      if (overtaken.length > 0) this.#fail(`U6 ${what} ${id} overtook the messages ${overtaken.join(", ")}`);
    };
  }

  /** U5, at the end. */
  check(): void {
    for (const [id, workflow] of this.#workflows) {
      const created = this.#ledger.accounts.get(id)?.state.created?.workflow;
      if (created !== workflow)
        this.#fail(`U5 the start of ${id} with ${workflow} was acknowledged, and it is ${created ?? "nowhere"}`);
    }
  }
}
