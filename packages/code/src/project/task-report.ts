// The tasks of a code workflow as `segno code status` shows them, read from the journal.

import type { ExecutionHandle, StepReport } from "@segno/engine";
import type { Json } from "@segno/kernel";
import type { AgentUsage } from "../agents/agent-event.ts";
import { foldUsage } from "../executor/usage-fold.ts";
import type { MergeValue, WorkValue } from "../steps/step-values.ts";

/** The progress of a task, in the words of the command. */
export type TaskProgress =
  | "waiting"
  | "working"
  | "merging"
  | "fixing"
  | "needs approval"
  | "needs a decision"
  | "landed"
  | "failed"
  | "skipped";

/** The progress of one task. */
export interface TaskReport {
  readonly task: string;
  readonly progress: TaskProgress;
  readonly attempts: number;
  readonly fixes: number;
  /** The commit with which the task landed, or that its last agent made. */
  readonly commit?: string;
  readonly changedFiles: readonly string[];
  readonly summary?: string;
  /** The usage of all attempts at the task and of its fixes. */
  readonly usage: AgentUsage;
  readonly error?: string;
  /** The step at which a person has to decide. */
  readonly question?: string;
}

/** The progress of a code workflow. */
export interface CodeReport {
  readonly tasks: readonly TaskReport[];
  /** The usage of all tasks and of the fixes of the landing. */
  readonly usage: AgentUsage;
  readonly landed: boolean;
  /** Why the landing on the base branch has failed, or why it waits before it is tried again. */
  readonly landingError?: string;
  /** The approval for which the landing on the base branch waits. */
  readonly question?: string;
}

/** Reads the progress of all tasks of a code workflow, with their usage. */
export async function readCodeReport(handle: ExecutionHandle): Promise<CodeReport> {
  const { steps } = await handle.status();
  const usage = await foldUsage(handle);
  const ids = steps.flatMap(({ name }) => /^session-([^/]+)$/u.exec(name)?.[1] ?? []);
  const tasks = await Promise.all(ids.map((id) => readTask(handle, steps, id, usage.ofTask(id))));
  const land = steps.find(({ name }) => name === "land");
  const question = openQuestion(steps, "land");
  const landingError = steps
    .filter(({ name, status }) => /^land(?:\/|$)/u.test(name) && (status === "retrying" || status === "failed"))
    .map(failureMessage)
    .find((message) => message !== undefined);
  return {
    tasks,
    usage: usage.total,
    landed: land?.status === "succeeded",
    ...(landingError === undefined ? {} : { landingError }),
    ...(question === undefined ? {} : { question }),
  };
}

async function readTask(
  handle: ExecutionHandle,
  steps: readonly StepReport[],
  task: string,
  usage: AgentUsage,
): Promise<TaskReport> {
  const session = steps.find(({ name }) => name === `session-${task}`)!;
  const merge = steps.find(({ name }) => name === `merge-${task}`)!;
  const below = steps.filter(({ name }) => name.startsWith(`merge-${task}/`));
  const fixes = below.filter(({ name, startedAt }) => /\/fix-\d+$/u.test(name) && startedAt !== undefined);
  const works = await Promise.all([session, ...fixes].map(({ name }) => read<WorkValue>(handle, name)));
  const landed = await read<MergeValue>(handle, merge.name);
  const last = works.findLast((work) => work !== undefined);
  const commit = landed?.kind === "landed" ? landed.commit : last?.commit;
  const question = openQuestion(steps, `session-${task}`) ?? openQuestion(steps, `merge-${task}`);
  const error = failureMessage(merge) ?? failureMessage(session);
  return {
    task,
    progress: progressOf(session, merge, below, question),
    attempts: session.attempts,
    fixes: fixes.length,
    ...(commit === undefined ? {} : { commit }),
    changedFiles: last?.changedFiles ?? [],
    ...(last?.summary === undefined ? {} : { summary: last.summary }),
    usage,
    ...(error === undefined ? {} : { error }),
    ...(question === undefined ? {} : { question }),
  };
}

function progressOf(
  session: StepReport,
  merge: StepReport,
  below: readonly StepReport[],
  question: string | undefined,
): TaskProgress {
  if (merge.status === "succeeded") return "landed";
  if (session.status === "failed" || merge.status === "failed") return "failed";
  if (question !== undefined) return question.endsWith("/approval") ? "needs approval" : "needs a decision";
  if (session.status === "skipped" || session.status === "cancelled") return "skipped";
  if (below.some(({ name, status }) => /\/fix-\d+/u.test(name) && status === "running")) return "fixing";
  if (session.status === "succeeded") return "merging";
  return session.startedAt === undefined ? "waiting" : "working";
}

/** The name of a step below this one that waits for a vote. */
function openQuestion(steps: readonly StepReport[], step: string): string | undefined {
  return steps.find(({ name, status }) => status === "suspended" && name.startsWith(`${step}/`))?.name;
}

function failureMessage({ detail }: StepReport): string | undefined {
  return detail.kind === "failure" ? detail.failure.message : undefined;
}

async function read<Value>(handle: ExecutionHandle, step: string): Promise<Value | undefined> {
  const output: Json | undefined = await handle.output(step);
  return output === undefined || output === null ? undefined : (output as unknown as Value);
}
