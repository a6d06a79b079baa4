// What the scheduler of the owner would say, for a process that only reads the journals.
//
// Slots and resources are in the owner's memory, but who holds them follows from the journals: attempts that run hold what
// their steps claim, and steps that are ready wait. So the same scheduler is filled with that, and asked.
//
//   R1. What is not in the journals is not known here: rates that are used up, breakers that are open, other limits than the
//       usual ones. Where nothing else is found, a step is said to be ready.

import {
  attemptsUnderWay,
  statusOf,
  stepCount,
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
import type { Admission as AdmissionReason } from "./reason.ts";

export interface ReconstructionPorts {
  readonly store: Store;
  readonly journals: Journals;
  readonly limits: EngineLimits;
  readonly scheduling: AdmissionOptions;
  readonly check: World["check"];
}

const HOLDING: readonly ExecutionStatus[] = ["running", "failing", "cancelling"];
const PAGE = 50;
/** More than these hold nothing that would be told anyway. */
const EXECUTIONS_MAX = 500;

export async function admissionsElsewhere(
  ports: ReconstructionPorts,
  id: ExecutionId,
): Promise<(step: number) => readonly AdmissionReason[]> {
  const admission = idleAdmission(ports);
  const executions = await unfinished(ports);
  for (const execution of executions)
    admission.renew(
      execution,
      attemptsUnderWay(execution.state).map(({ step }) => step as StepIndex),
    );
  for (const execution of executions) request(admission, execution);
  const asked = executions.find((execution) => execution.id === id);
  return (step) => (asked === undefined ? [] : admission.why(asked, step));
}

function idleAdmission({ limits, scheduling }: ReconstructionPorts): Admission {
  return new Admission({
    limits,
    options: scheduling,
    granted: () => undefined,
    clock: { monotonic: () => 0, now: () => 0 },
    wakeAt: () => undefined,
    report: () => undefined,
  });
}

function request(admission: Admission, execution: LiveExecution): void {
  for (let step = 0; step < stepCount(execution.state); step++)
    if (statusOf(execution.state, step) === "ready") admission.request(execution, step as StepIndex);
}

async function unfinished(ports: ReconstructionPorts): Promise<readonly LiveExecution[]> {
  const found: LiveExecution[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await ports.store.find({
      status: HOLDING,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const summary of page.executions) for (const one of await folded(summary, ports)) found.push(one);
    cursor = page.cursor;
  } while (cursor !== undefined && found.length < EXECUTIONS_MAX);
  return found;
}

/** One that cannot be read holds nothing that anybody could know of. */
async function folded(
  { id, epoch, projection }: Summary,
  ports: ReconstructionPorts,
): Promise<readonly LiveExecution[]> {
  const state = await ports.journals.stateOf(id).catch(() => undefined);
  if (state === undefined) return [];
  const { definition, head, priority } = projection;
  return [new LiveExecution({ id, definition, state, found: epoch, head, priority, check: ports.check })];
}
