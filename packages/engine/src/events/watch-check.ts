// Checks the arguments of a subscription to events.

import { closest, EVENT_KINDS, SegnoError } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import type { WatchFilter, WatchHandler } from "./bus.ts";
import { invalidOption } from "../checks/option-error.ts";
import { checkOptions, isObject, TEXT, type Rule } from "../checks/option-rules.ts";

const RULES: Readonly<Record<keyof WatchFilter, Rule>> = {
  executionId: TEXT,
  workflow: TEXT,
  kinds: { expected: "a list of kinds of events", fits: Array.isArray },
};

function unknownKind(kind: unknown): SegnoError {
  const near = typeof kind === "string" ? closest(kind, EVENT_KINDS) : undefined;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return new SegnoError("OPTION_INVALID", `there are no events of the kind ${describeValue(kind)}${hint}`);
}

export function checkWatch(filter: WatchFilter, handler: WatchHandler): void {
  if (!isObject(filter)) throw invalidOption("filter", "an object", filter);
  checkOptions("a filter", filter, RULES);
  for (const kind of filter.kinds ?? []) if (!EVENT_KINDS.includes(kind)) throw unknownKind(kind);
  if (typeof handler !== "function") throw invalidOption("handler", "a function", handler);
}
