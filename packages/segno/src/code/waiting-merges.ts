import { openToRead } from "../journal/open-engine.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { findExecution } from "../lookup/find-execution.ts";

export interface WaitingMerges {
  readonly id: string;
  /** The names of the approvals. */
  readonly steps: readonly string[];
}

/** The approvals of merges that wait for a vote: of one task, or of all and of the landing on the base branch. */
export async function waitingMerges(
  task: string | undefined,
  options: JournalOptions & { readonly id: string },
): Promise<WaitingMerges> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, options.id);
  const { steps } = await handle.status();
  const isWanted = (name: string): boolean =>
    task === undefined ? /^(?:land|merge-[^/]+)\//u.test(name) : name.startsWith(`merge-${task}/`);
  const waiting = steps.filter(
    ({ name, status }) => status === "suspended" && name.endsWith("/approval") && isWanted(name),
  );
  return { id: handle.id, steps: waiting.map(({ name }) => name) };
}
