// The options that choose executions, as a filter of the engine.

import type { ListFilter } from "@segno/engine";
import type { ExecutionStatus } from "@segno/kernel";

export interface FilterOptions {
  readonly status?: readonly ExecutionStatus[];
  readonly workflow?: string;
  readonly since?: number;
  readonly until?: number;
  readonly label?: Readonly<Record<string, string>>;
  readonly correlation?: string;
  readonly text?: string;
}

export function toFilter(options: FilterOptions): Omit<ListFilter, "limit"> {
  const { status, workflow, since, until, label: labels, correlation: correlationId, text } = options;
  const given = Object.entries({ status, workflow, since, until, labels, correlationId, text });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
