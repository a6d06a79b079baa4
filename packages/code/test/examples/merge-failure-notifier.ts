// An event handler: sends a message for each merge that failed.

import { EventType, type ExecutionEvent } from "../../src/index.ts";

export interface ChatMessage {
  readonly channel: string;
  readonly text: string;
  readonly attachments: readonly { readonly title: string; readonly text: string }[];
}

export class MergeFailureNotifier {
  readonly #send: (message: ChatMessage) => void | Promise<void>;
  /** A workflow that goes on after a crash publishes its events again, with the same ids. */
  readonly #sent = new Set<string>();

  constructor(send: (message: ChatMessage) => void | Promise<void>) {
    this.#send = send;
  }

  async handle({ type, id, taskId, error, ciLogs }: ExecutionEvent): Promise<void> {
    if (type !== EventType.MergeFailed || this.#sent.has(id)) return;
    this.#sent.add(id);
    await this.#send({
      channel: "#engineering",
      text: `Merge failed for task ${taskId ?? "(the workflow)"}: ${error ?? "unknown"}`,
      attachments: ciLogs === undefined ? [] : [{ title: "CI logs", text: ciLogs }],
    });
  }
}
