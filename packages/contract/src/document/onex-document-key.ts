// The key that distinguishes an ONEX contract from a native one. A separate file, so that checking for it loads no other module.

import type { Json } from "@segno/kernel";

export const ONEX_KEY = "workflow_coordination";

export function isOnexDocument(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, ONEX_KEY);
}
