// Reconstructs the scheduler of the owner in a process that only reads the journals.
//
// Slots and resources are in the owner's memory, but their holders follow from the journals: running attempts hold the
// claims of their steps, and ready steps wait. So this module fills a scheduler with that data and queries it.
//
//   R1. Facts that are not in the journals are unknown here: used-up rates, and limits other than the defaults. Without
//       another reason, a step is reported as ready.
//   R2. Breakers follow from the attempts of executions that are unfinished or ended recently. They are not stored,
//       because stored breakers would have to be written, owned and cleared after a crash, for `why` alone.

import {
  attemptsUnderWay,
  stepStatus,
  stepCount,
  type EpochMs,
  type ExecutionId,
  type ExecutionStatus,
  type StepIndex,
} from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Journals } from "../executions/journals.ts";
import type { Page, Query, Store, Summary } from "../store/store.ts";
import type { SchedulerLimits } from "../scheduler/scheduler-ports.ts";
import { AdmissionController, type AdmissionOptions } from "../turn/admission-controller.ts";
import { LiveExecution, type ExecutionHost } from "../turn/live-execution.ts";
import { BreakerHistory } from "./breaker-history.ts";
import { isRetryDue } from "./due-retry.ts";
import { toAdmissionReason } from "./admission-reasons.ts";
import type { AdmissionReason } from "./reason.ts";

export interface ReconstructionPorts {
  readonly store: Pick<Store, "find" | "load">;
  readonly journals: Journals;
  readonly limits: SchedulerLimits;
  readonly scheduling: AdmissionOptions;
  readonly clock: Pick<SystemPorts, "now">;
}

/** A reconstructed execution runs nothing, so nothing happens to it. */
const NO_HOST: ExecutionHost = {
  checkSchema: () => [],
  enqueue: () => undefined,
  deliver: () => undefined,
  onFault: () => undefined,
};
const ACTIVE: readonly ExecutionStatus[] = ["running", "failing", "cancelling"];
const ENDED: readonly ExecutionStatus[] = ["completed", "failed", "cancelled"];
const PAGE = 50;
/** Only a few ended executions are read beyond their summary. */
const ENDED_PAGE = 1000;
/** Older executions say little about an agent. */
const RECENT_MS = 600_000;
/** Beyond this number, further holders would not be reported anyway. */
const EXECUTIONS_MAX = 500;

export async function reconstructReasons(
  ports: ReconstructionPorts,
  id: ExecutionId,
): Promise<(step: number) => readonly AdmissionReason[]> {
  const admission = createAdmission(ports);
  const history = new BreakerHistory(admission);
  const executions = await foldExecutions(await listCompeting(ports, id), ports, history);
  await foldExecutions(await listRecentlyEnded(ports), ports, history);
  history.replay();
  for (const execution of executions)
    admission.restore(
      execution,
      attemptsUnderWay(execution.state).map(({ step }) => step as StepIndex),
    );
  for (const execution of executions)
    for (const step of readySteps(execution, ports.clock.now())) admission.request(execution, step);
  const target = executions.find((execution) => execution.id === id);
  return (step) => (target === undefined ? [] : admission.why(target, step).map(toAdmissionReason));
}

function createAdmission({ limits, scheduling, clock }: ReconstructionPorts): AdmissionController {
  return new AdmissionController({
    limits,
    options: scheduling,
    // Times in journals are wall-clock times.
    clock: { monotonic: () => clock.now(), now: () => clock.now() },
    timers: { reschedulable: () => () => undefined },
    report: () => undefined,
    onHeldByLingering: () => undefined,
  });
}

/** Steps that could run, including those whose retry is due. */
function readySteps({ state }: LiveExecution, now: EpochMs): readonly StepIndex[] {
  const ready: StepIndex[] = [];
  for (let step = 0; step < stepCount(state); step++)
    if (stepStatus(state, step) === "ready" || isRetryDue(state, step, now)) ready.push(step as StepIndex);
  return ready;
}

/**
 * The execution that is asked about, and those that hold something or compete with it. An execution with running or
 * ready steps is due at once, so executions that only wait for a timer or a message are not read.
 */
async function listCompeting({ store, clock }: ReconstructionPorts, id: ExecutionId): Promise<readonly Summary[]> {
  const target = await store.load(id);
  const summaries: Summary[] = target?.kind === "execution" ? [target] : [];
  for await (const page of listPages(store, { status: ACTIVE, dueBy: clock.now(), limit: PAGE })) {
    for (const summary of page) if (summary.id !== id) summaries.push(summary);
    if (summaries.length >= EXECUTIONS_MAX) break;
  }
  return summaries;
}

/** The store lists executions in order of their starts, so all of them are read to find those that ended last. */
async function listRecentlyEnded({ store, clock }: ReconstructionPorts): Promise<readonly Summary[]> {
  let last: readonly Summary[] = [];
  for await (const page of listPages(store, { status: ENDED, limit: ENDED_PAGE })) {
    const recent = page.filter(({ projection }) => projection.updatedAt >= clock.now() - RECENT_MS);
    last = [...last, ...recent]
      .toSorted((one, other) => other.projection.updatedAt - one.projection.updatedAt)
      .slice(0, EXECUTIONS_MAX);
  }
  return last;
}

async function* listPages(store: ReconstructionPorts["store"], query: Query): AsyncGenerator<readonly Summary[]> {
  let cursor: string | undefined;
  do {
    const page: Page = await store.find({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    yield page.executions;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Also adds their attempts to the breaker history. */
async function foldExecutions(
  summaries: readonly Summary[],
  ports: ReconstructionPorts,
  history: BreakerHistory,
): Promise<readonly LiveExecution[]> {
  const executions: LiveExecution[] = [];
  for (const summary of summaries) {
    const one = await foldExecution(summary, ports, history);
    if (one !== undefined) executions.push(one);
  }
  return executions;
}

/** An unreadable execution is skipped, because its holdings are unknown. */
async function foldExecution(
  { id, epoch, projection }: Summary,
  { journals }: ReconstructionPorts,
  history: BreakerHistory,
): Promise<LiveExecution | undefined> {
  const read = await journals.read(id).catch(() => undefined);
  if (read === undefined) return undefined;
  const { definition, head, priority } = projection;
  const options = { id, definition, state: read.state, expectedEpoch: epoch, head, priority };
  const execution = new LiveExecution(options, NO_HOST);
  history.add(execution, read.events);
  return execution;
}
