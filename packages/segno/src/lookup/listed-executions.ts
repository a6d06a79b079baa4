// Lists executions, newest first. The engine lists them in the order of creation, so this reads all pages, keeps the last ones
// and counts the others.

import type { ListedExecution, ListFilter } from "@segno/engine";

import type { InspectedEngine } from "../remote/inspected-engine.ts";

const PAGE = 1000;

export async function* listedExecutions(
  engine: InspectedEngine,
  filter: Omit<ListFilter, "limit"> = {},
): AsyncGenerator<ListedExecution> {
  let cursor: string | undefined;
  do {
    const page = await engine.list({ ...filter, limit: PAGE }, cursor);
    yield* page.executions;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

export interface NewestExecutions {
  readonly executions: readonly ListedExecution[];
  /** The number of all executions that match. */
  readonly total: number;
  /** The ids of all executions that match, not only of those that are returned. */
  readonly ids: readonly string[];
}

/** Returns at most `limit` executions, newest first. */
export async function newestExecutions(
  engine: InspectedEngine,
  filter: Omit<ListFilter, "limit">,
  limit: number,
): Promise<NewestExecutions> {
  const kept: ListedExecution[] = [];
  const ids: string[] = [];
  let total = 0;
  for await (const execution of listedExecutions(engine, filter)) {
    kept[total % limit] = execution;
    ids.push(execution.id);
    total++;
  }
  const next = total % limit;
  const inOrder = total > limit ? [...kept.slice(next), ...kept.slice(0, next)] : kept;
  return { executions: inOrder.toReversed(), total, ids };
}
