// What the scheduler of the owner would say, for a process that only reads the journals.
//
// Slots and resources are in the owner's memory, but who holds them follows from the journals: attempts that run hold what
// their steps claim, and steps that are ready wait. So the same scheduler is filled with that, and asked.
//
//   R1. What is not in the journals is not known here: rates that are used up, other limits than the usual ones. Where nothing
//       else is found, a step is said to be ready.
//   R2. Breakers follow from the attempts of executions that have not ended, and of those that ended a short while ago. Nothing
//       is stored about them: that would be one more thing to be written, owned and cleared after a crash, for `why` alone.

import {
  attemptsUnderWay,
  statusOf,
  stepCount,
  type EpochMs,
  type ExecutionId,
  type ExecutionStatus,
  type StepIndex,
  type World,
} from "@segno/kernel";
import type { EngineLimits } from "../engine-options.ts";
import type { Journals } from "../recovery/journals.ts";
import type { Page, Store, Summary } from "../store/store.ts";
import { Admission, type AdmissionOptions } from "../turn/admission.ts";
import { LiveExecution } from "../turn/live-execution.ts";
import { BreakerHistory } from "./breaker-history.ts";
import { isDue } from "./due-retry.ts";
import type { Admission as AdmissionReason } from "./reason.ts";

export interface ReconstructionPorts {
  readonly store: Store;
  readonly journals: Journals;
  readonly limits: EngineLimits;
  readonly scheduling: AdmissionOptions;
  readonly check: World["check"];
  readonly now: () => EpochMs;
}

interface Wanted {
  readonly status: readonly ExecutionStatus[];
  readonly isMeant: (summary: Summary) => boolean;
}

const HOLDING: readonly ExecutionStatus[] = ["running", "failing", "cancelling"];
const ENDED: readonly ExecutionStatus[] = ["completed", "failed", "cancelled"];
const PAGE = 50;
/** What ended longer ago says little about an agent. */
const RECENT_MS = 600_000;
/** More than these hold nothing that would be told anyway. */
const EXECUTIONS_MAX = 500;

export async function admissionsElsewhere(
  ports: ReconstructionPorts,
  id: ExecutionId,
): Promise<(step: number) => readonly AdmissionReason[]> {
  const admission = idleAdmission(ports);
  const history = new BreakerHistory(admission);
  const executions = await found(ports, { status: HOLDING, isMeant: () => true }, history);
  await found(
    ports,
    { status: ENDED, isMeant: ({ projection }) => projection.updatedAt >= ports.now() - RECENT_MS },
    history,
  );
  history.replay();
  for (const execution of executions)
    admission.renew(
      execution,
      attemptsUnderWay(execution.state).map(({ step }) => step as StepIndex),
    );
  for (const execution of executions)
    for (const step of readySteps(execution, ports.now())) admission.request(execution, step);
  const asked = executions.find((execution) => execution.id === id);
  return (step) => (asked === undefined ? [] : admission.why(asked, step));
}

function idleAdmission({ limits, scheduling, now }: ReconstructionPorts): Admission {
  return new Admission({
    limits,
    options: scheduling,
    granted: () => undefined,
    // The times of journals are those of the wall clock.
    clock: { monotonic: now, now },
    wakeAt: () => undefined,
    report: () => undefined,
    holdsOn: () => undefined,
  });
}

/** Steps that could run, those among them that are to be tried again by now. */
function readySteps({ state }: LiveExecution, now: EpochMs): readonly StepIndex[] {
  const ready: StepIndex[] = [];
  for (let step = 0; step < stepCount(state); step++)
    if (statusOf(state, step) === "ready" || isDue(state, step, now)) ready.push(step as StepIndex);
  return ready;
}

/** The executions that a query finds, as far as they are meant; what their attempts say of breakers goes into the history. */
async function found(ports: ReconstructionPorts, wanted: Wanted, history: BreakerHistory): Promise<LiveExecution[]> {
  const executions: LiveExecution[] = [];
  let cursor: string | undefined;
  let seen = 0;
  do {
    const { status } = wanted;
    const page: Page = await ports.store.find({ status, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const summary of page.executions.filter(wanted.isMeant)) {
      const one = await folded(summary, ports, history);
      if (one !== undefined) executions.push(one);
    }
    seen += page.executions.length;
    cursor = page.cursor;
  } while (cursor !== undefined && seen < EXECUTIONS_MAX);
  return executions;
}

/** One that cannot be read holds nothing that anybody could know of. */
async function folded(
  { id, epoch, projection }: Summary,
  { journals, check }: ReconstructionPorts,
  history: BreakerHistory,
): Promise<LiveExecution | undefined> {
  const read = await journals.read(id).catch(() => undefined);
  if (read === undefined) return undefined;
  const { definition, head, priority } = projection;
  const execution = new LiveExecution({ id, definition, state: read.state, found: epoch, head, priority, check });
  history.add(execution, read.events);
  return execution;
}
