// Sends commands to executions: directly if this process owns them, otherwise through the inbox of the store.
//
//   W1. Commands are delivered in order of arrival, after the messages that are already posted for their execution. Many
//       commands are delivered a few per tick of the event loop, so that other work continues.

import {
  SegnoError,
  signalRefusal,
  type ExecutionId,
  type Reply,
  type TextFilter,
  type StoredValues,
} from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import { Pace } from "../clock/pace.ts";
import type { Executions } from "../executions/executions.ts";
import { assertPayloads } from "../executions/payload-removal.ts";
import type { LoadOutcome } from "../executions/loader.ts";
import type { Resumption } from "./resumption.ts";
import { inboxFull } from "../store/inbox-full.ts";
import type { CommandResult } from "./command-options.ts";
import { toHappening, type ExecutionCommand } from "./command.ts";
import type { StoreAccess } from "./store-access.ts";
import { unknownExecution } from "../checks/unknown-execution.ts";

/** The limits of the inbox. */
export interface InboxLimits {
  /**
   * The maximum number of posted messages that wait for one execution. A post beyond the limit fails with `INBOX_FULL`.
   */
  readonly inbox: number;
}

export const INBOX_LIMITS: InboxLimits = Object.freeze({ inbox: 1000 });

export interface CommandSenderPorts {
  readonly access: StoreAccess;
  readonly environment: SystemPorts;
  readonly executions: Executions;
  readonly resumption: Resumption;
  /** Masks secrets in what people write. */
  readonly maskText: TextFilter;
  readonly checkSchema: StoredValues["checkSchema"];
}

const COMMANDS_AT_ONCE = 128;

export class CommandSender {
  readonly #ports: CommandSenderPorts;
  readonly #pace: Pace;

  constructor(ports: CommandSenderPorts) {
    this.#ports = ports;
    this.#pace = new Pace(ports.environment, COMMANDS_AT_ONCE);
  }

  /** `make` creates the command when its turn comes. */
  async send(id: ExecutionId, make: () => ExecutionCommand): Promise<CommandResult> {
    const turn = this.#pace.wait();
    if (turn !== undefined) await turn;
    const { access, environment, resumption } = this.#ports;
    access.assertOpen();
    const command = make();
    if (command.kind === "retry") await assertPayloads(access.store, id);
    if (!access.isOwner) {
      await access.post({ execution: id, body: JSON.stringify(command), postedAt: environment.now() });
      return { kind: "posted" };
    }
    resumption.add(id);
    const result = await access.afterPosted(id, () => this.#deliver(id, command));
    if (command.kind === "signal" && result.kind === "accepted") this.#assertFits(id, command);
    return result;
  }

  #deliver(id: ExecutionId, command: ExecutionCommand): Promise<CommandResult> {
    const { access, executions, environment, maskText } = this.#ports;
    const waiting = executions.live(id)?.deliveries.externalCount ?? 0;
    if (waiting >= access.inboxMax) throw inboxFull(id, access.inboxMax);
    const happening = toHappening(command, environment.now(), maskText);
    return new Promise((resolve, reject) => {
      const onLoadOutcome = (outcome: LoadOutcome): void => {
        if (outcome === "loaded") return;
        const ended = executions.terminalState(id);
        if (ended === undefined) this.#rejectLoad(id, outcome, reject);
        else resolve({ kind: "ignored", reason: "ended", status: ended.baseStatus });
      };
      const onReply = (reply: Reply): void =>
        reply.kind === "refused" ? reject(new SegnoError(reply.failure.code, reply.failure.message)) : resolve(reply);
      executions.deliverTo(id, { happening, resolve: onReply, reject }).then(onLoadOutcome, reject);
    });
  }

  /**
   * The journal has the signal, and it is kept for another step. The sender learns that the waiting step refused it.
   */
  #assertFits(id: ExecutionId, signal: ExecutionCommand & { readonly kind: "signal" }): void {
    const state = this.#ports.executions.live(id)?.state;
    const refusal =
      state === undefined ? undefined : signalRefusal(state, signal.id, signal.payload, this.#ports.checkSchema);
    if (refusal === undefined) return;
    const message = `the signal \`${signal.name}\` does not match the schema of \`${refusal.step}\`, which keeps waiting: ${refusal.message}`;
    throw new SegnoError("SIGNAL_INVALID", message);
  }

  #rejectLoad(id: ExecutionId, outcome: Exclude<LoadOutcome, "loaded">, reject: (error: unknown) => void): void {
    try {
      this.#ports.access.assertOpen();
      reject(loadError(id, outcome));
    } catch (error) {
      reject(error);
    }
  }
}

function loadError(id: ExecutionId, outcome: Exclude<LoadOutcome, "loaded">): SegnoError {
  return outcome === "not-found"
    ? unknownExecution(id)
    : new SegnoError("STORE_CORRUPT", `the execution ${id} is quarantined; \`verify\` shows the reason`);
}
