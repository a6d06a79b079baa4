// Wishes on their way: to the execution where it is owned here, otherwise to the inbox, for whoever owns it.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import type { Reception } from "./execution-handle.ts";
import type { Executions } from "./executions.ts";
import { assertPayloads } from "./payload-removal.ts";
import type { Arrival } from "./recovery/loader.ts";
import { inboxFull } from "./store/inbox-full.ts";
import type { MessageId, NewMessage, Store } from "./store/store.ts";
import { happeningOf, type ExecutionWish } from "./wish.ts";

export interface WishesPorts {
  readonly store: Store;
  readonly environment: Environment;
  readonly executions: Executions;
  /** How many may wait for one execution. */
  readonly inboxMax: number;
  readonly isReadOnly: boolean;
  isOwner(): boolean;
  isClosed(): boolean;
}

export class Wishes {
  readonly #ports: WishesPorts;

  constructor(ports: WishesPorts) {
    this.#ports = ports;
  }

  async make(id: ExecutionId, wish: ExecutionWish): Promise<Reception> {
    const { store, environment } = this.#ports;
    if (wish.kind === "retry") await assertPayloads(store, id);
    if (this.#ports.isOwner()) return this.#deliver(id, wish);
    await this.post({ execution: id, body: JSON.stringify(wish), postedAt: environment.now() });
    return { kind: "posted" };
  }

  async post(message: NewMessage): Promise<MessageId> {
    if (this.#ports.isReadOnly) throw new SegnoError("ENGINE_NOT_OWNER", "this engine was opened `readOnly`");
    return this.#ports.store.post(message, this.#ports.inboxMax);
  }

  async #deliver(id: ExecutionId, wish: ExecutionWish): Promise<Reception> {
    const { executions, inboxMax } = this.#ports;
    const waiting = executions.live(id)?.inbox.wishes ?? 0;
    if (waiting >= inboxMax) throw inboxFull(id, inboxMax);
    const happening = happeningOf(wish, this.#ports.environment.now());
    return new Promise((resolve, reject) => {
      const missed = (arrival: Arrival): void => {
        if (arrival === "here") return;
        const ended = executions.remembered(id);
        if (ended === undefined) reject(this.#ports.isClosed() ? engineClosed() : notHere(id, arrival));
        else resolve({ kind: "ignored", reason: "ended", status: ended.base });
      };
      executions.deliverTo(id, { happening, answer: resolve, refuse: reject }).then(missed, reject);
    });
  }
}

export function engineClosed(): SegnoError {
  return new SegnoError("ENGINE_CLOSED", "the engine is closed");
}

function notHere(id: ExecutionId, arrival: Exclude<Arrival, "here">): SegnoError {
  return arrival === "unknown"
    ? new SegnoError("EXECUTION_UNKNOWN", `there is no execution ${id}`)
    : new SegnoError("STORE_CORRUPT", `the execution ${id} was set aside; \`verify\` says why`);
}
