// Whether somebody can be told of events as they asked.

import type { WatchFilter, WatchHandler } from "../events/bus.ts";
import { invalidOption } from "./option-error.ts";
import { checkOptions, isObject, TEXT, type Rule } from "./option-rules.ts";

const RULES: Readonly<Record<keyof WatchFilter, Rule>> = {
  executionId: TEXT,
  workflow: TEXT,
  kinds: { expected: "a list of kinds of events", fits: Array.isArray },
};

export function checkWatch(filter: WatchFilter, handler: WatchHandler): void {
  if (!isObject(filter)) throw invalidOption("filter", "an object", filter);
  checkOptions("a filter", filter, RULES);
  if (typeof handler !== "function") throw invalidOption("handler", "a function", handler);
}
