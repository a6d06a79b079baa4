// The updates that an agent sends during its turn, by the Agent Client Protocol. The SDK is not asked: it writes each update
// that it cannot read to the console.

import type { Json, JsonObject } from "@segno/kernel";
import { isAmount, isObject, type AgentUsage } from "./agent-event.ts";

export type AcpUpdate =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool"; readonly title: string }
  | { readonly kind: "usage"; readonly usage: AgentUsage }
  | { readonly kind: "other" };

const OTHER: AcpUpdate = { kind: "other" };

/** The method of the notification that contains an update. */
export const UPDATE_METHOD = "session/update";

/** Reads the parameters of a notification; undefined if they are not an update. */
export function readUpdate(params: Json | undefined): AcpUpdate | undefined {
  const update = isObject(params) ? params["update"] : undefined;
  if (!isObject(update) || typeof update["sessionUpdate"] !== "string") return undefined;
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return isObject(update["content"]) ? readContent(update["content"]) : undefined;
    case "tool_call":
      return typeof update["title"] === "string" ? { kind: "tool", title: update["title"] } : undefined;
    case "usage_update":
      return readCost(update["cost"]);
    default:
      return OTHER;
  }
}

function readContent({ type, text }: JsonObject): AcpUpdate | undefined {
  if (type !== "text") return OTHER;
  return typeof text === "string" ? { kind: "text", text } : undefined;
}

function readCost(cost: Json | undefined): AcpUpdate {
  if (!isObject(cost) || cost["currency"] !== "USD" || !isAmount(cost["amount"])) return OTHER;
  return { kind: "usage", usage: { costUsd: cost["amount"] } };
}
