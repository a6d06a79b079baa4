// Lists executions, newest first. The engine lists them in the order of creation, so this reads all pages, keeps the last ones
// and counts the others.

import type { Engine, ListedExecution, ListFilter } from "@segno/engine";

const PAGE = 1000;

export async function* listedExecutions(
  engine: Engine,
  filter: Omit<ListFilter, "limit"> = {},
): AsyncGenerator<ListedExecution> {
  let cursor: string | undefined;
  do {
    const page = await engine.list({ ...filter, limit: PAGE }, cursor);
    yield* page.executions;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Returns at most `limit` executions, newest first, and their total number. */
export async function newestExecutions(
  engine: Engine,
  filter: Omit<ListFilter, "limit">,
  limit: number,
): Promise<{ readonly executions: readonly ListedExecution[]; readonly total: number }> {
  const kept: ListedExecution[] = [];
  let total = 0;
  for await (const execution of listedExecutions(engine, filter)) {
    kept[total % limit] = execution;
    total++;
  }
  const next = total % limit;
  const inOrder = total > limit ? [...kept.slice(next), ...kept.slice(0, next)] : kept;
  return { executions: inOrder.toReversed(), total };
}
