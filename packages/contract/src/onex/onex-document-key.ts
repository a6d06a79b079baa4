// How an ONEX contract is known from a native one. In a file of its own, so that whoever only asks loads nothing else.

import type { Json } from "@segno/kernel";

export const ONEX_KEY = "workflow_coordination";

export function isOnexDocument(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, ONEX_KEY);
}
