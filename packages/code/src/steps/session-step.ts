// The step in which an agent works on a task, or repairs a merge that failed (CODE-4).

import { expand, type Expansion, type StepContext } from "@segno/engine";
import { RateLimitError, type Json } from "@segno/kernel";
import { addUsage, type AgentUsage } from "../agents/agent-event.ts";
import type { AgentOutcome } from "../agents/agent-outcome.ts";
import { CodeError } from "../errors/code-error.ts";
import { taskBranch } from "../git/branch-names.ts";
import { ErrorType } from "../model/error-type.ts";
import type { CodeTaskContext, ExecutionSession, TaskArtefact } from "../model/execution-session.ts";
import { sessionIdOf } from "../model/session-id.ts";
import { TaskError } from "../resolution/classify-task-error.ts";
import { ErrorHandler } from "../resolution/error-handler.ts";
import { outcomeText, type SessionDetails, type SessionResult } from "../sessions/session-manager.ts";
import { CODE_AGENTS } from "../model/code-agents.ts";
import { backendTaskId, toCodeTask } from "./backend-task.ts";
import { claim, claimedElsewhere, landedElsewhere, workflowHead } from "./claim-step.ts";
import { writeSessionBundle } from "./debug-bundle.ts";
import { diffLines } from "./diff-lines.ts";
import { escapeTemplates } from "./escape-templates.ts";
import { permanentError, retryError } from "./permanent-error.ts";
import { stepAttempts } from "./step-attempts.ts";
import { SessionClock } from "./session-clock.ts";
import { usageError, withUsage } from "./session-usage.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { QuestionAnswer, SessionInput, WorkValue } from "./step-values.ts";
import { setUp } from "./workspace-setup.ts";
import type { WorkflowSpending } from "./workflow-spending.ts";

/** The delay if an agent meets a rate limit and does not say how long it lasts. */
const RATE_LIMIT_MS = 60_000;

export async function runSession(
  input: SessionInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<WorkValue | Expansion> {
  const { workflowId } = input.workflow;
  // A claim may have been lost since the last attempt; the owner of a claim gets it again.
  const isFix = input.fix !== undefined && input.fix !== null;
  if (!isFix && (await claim(input, runtime)) === "completed-elsewhere") return await landedElsewhere(input, runtime);
  const id = input.fix?.fixTaskId ?? input.task.id;
  const task = { ...toCodeTask(workflowId, input.task), id };
  const base = input.fix?.start ?? (await workflowHead(input, runtime));
  const spending = await openSpending(input, context, runtime);
  using held = runtime.claims?.watch(backendTaskId(workflowId, input.task));
  const signal = held === undefined ? context.signal : AbortSignal.any([context.signal, held.signal]);
  const details = sessionDetails(input, context, id);
  const session = await runtime.sessions.createSession(task, base, { ...details, signal });
  try {
    return await work(input, { ...session, base, spending, signal }, context, runtime);
  } catch (error) {
    if (held?.signal.aborted !== true || context.signal.aborted) throw error;
    throw claimedElsewhere(input.task.id);
  } finally {
    runtime.sessions.releaseSession(session.sessionId);
  }
}

interface WorkLimits {
  readonly base: string;
  readonly spending: WorkflowSpending | undefined;
  /** Aborts when the attempt should stop, or when its claim is lost. */
  readonly signal: AbortSignal;
}

async function work(
  input: SessionInput,
  session: ExecutionSession & WorkLimits,
  context: StepContext,
  runtime: StepRuntime,
): Promise<WorkValue | Expansion> {
  const { spending, signal } = session;
  const clock = new SessionClock(input.settings.taskTimeoutMs, runtime.host);
  let result: SessionResult;
  try {
    const { sessionId: id, workspaceId, workspacePath: path } = session;
    await clock.limit(signal, (limited) => setUp(input, { id, workspaceId, path, signal: limited }, context, runtime));
    const options = {
      timeoutMs: clock.leftMs,
      processes: runtime.host.processes(context),
      maskText: (text: string) => runtime.host.maskText(text),
      onLine: (line: string) => context.log.info(line),
      ...(spending === undefined ? {} : { budgetUsd: spending.openSession() }),
    };
    result = await clock.supervise(signal, (limited) =>
      runtime.sessions.executeTask(session, { ...options, signal: limited }),
    );
  } catch (error) {
    await runtime.sessions.terminateSession(session.sessionId);
    // A set-up that failed has its own bundle.
    if (!(error instanceof CodeError && error.code === "SETUP_FAILED"))
      await writeSessionBundle(runtime, { input, session, error: error as Error });
    signal.throwIfAborted();
    const usage = runtime.sessions.usageOf(session.sessionId);
    return await fail(input, context, runtime, withUsage(error as Error, usage));
  }
  if (result.success) {
    for (const line of diffLines(result.diff ?? [])) context.log.info(line);
    if (result.commit !== undefined) await probe(input, session.taskBranch, context, runtime);
    return toWork(input, session, result);
  }
  if (!isPutOff(result)) await writeSessionBundle(runtime, { input, session, result });
  signal.throwIfAborted();
  return await settleFailure(input, context, runtime, { result, spending });
}

/** Undefined without a budget. Fails the task if the budget is used up before its session begins. */
async function openSpending(
  input: SessionInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<WorkflowSpending | undefined> {
  const { budgetUsd } = input.settings;
  if (budgetUsd === undefined) return undefined;
  const spending = await runtime.host.spending(context.execution.id, budgetUsd);
  if (spending.isUsedUp) await fail(input, context, runtime, budgetError(spending));
  return spending;
}

function budgetError({ budgetUsd }: WorkflowSpending, cause?: Error): CodeError {
  return new CodeError("BUDGET_EXCEEDED", `the agents have used up the budget of ${budgetUsd} USD`, cause);
}

/** Warns if the work of another task will conflict with this one. */
async function probe(input: SessionInput, branch: string, context: StepContext, runtime: StepRuntime): Promise<void> {
  const { workflowId } = input.workflow;
  const { unlanded } = runtime;
  try {
    const found = await unlanded.add({ workflowId, taskId: input.task.id, branch }, runtime.ports.vcsPort);
    for (const { taskId, files } of found)
      context.log.warn(
        `this work conflicts with that of \`${taskId}\`, which has not landed either: ${files.join(", ")}`,
      );
  } catch (error) {
    // The other branch may have been deleted meanwhile, because it has landed.
    context.log.debug("Probe failed", { error: (error as Error).message });
  }
}

function toWork(
  { usage: earlier = {}, fix }: SessionInput,
  session: {
    readonly sessionId: string;
    readonly taskBranch: string;
    readonly workspaceId: string;
    readonly base: string;
  },
  { commit, changedFiles, usage, summary }: SessionResult,
): WorkValue {
  const isUnfinished = fix !== undefined && fix !== null && commit === undefined;
  return {
    kind: commit === undefined ? "unchanged" : "changed",
    branch: session.taskBranch,
    commit: commit ?? session.base,
    workspaceId: session.workspaceId,
    sessionId: session.sessionId,
    ...(summary === undefined ? {} : { summary }),
    changedFiles,
    usage: addUsage(earlier, usage),
    ...(isUnfinished ? { unfinished: { parents: fix.parents, conflictedPaths: fix.conflictedPaths } } : {}),
  };
}

function sessionDetails(
  input: SessionInput,
  { attempt, execution, step }: StepContext,
  id: string,
): Partial<SessionDetails> {
  const { fix, task, settings } = input;
  return {
    sessionId: sessionIdOf(execution.id, id, attempt, step.id),
    workspaceId: `${execution.id}/${id}`,
    taskBranch: taskBranch(execution.id, id),
    agent: task.agent ?? settings.agent,
    attempt,
    context: taskContext(input),
    ...(fix === undefined || fix === null ? {} : { parents: fix.parents, conflictedPaths: fix.conflictedPaths }),
  };
}

function taskContext({ task, workflow, artefacts, fix, answers = [] }: SessionInput): CodeTaskContext {
  const known = Object.entries(artefacts).filter((entry): entry is [string, TaskArtefact] => entry[1] !== null);
  return {
    taskId: task.id,
    title: task.title,
    instructions: [task.instructions, ...answers.map(answerText)].join("\n\n"),
    acceptanceCriteria: task.acceptanceCriteria,
    data: task.context,
    workflow,
    artefacts: Object.fromEntries(known),
    ...(fix === undefined || fix === null ? {} : { fix: fix.context }),
  };
}

/** The agent is fresh, so it does not know the question either. */
function answerText({ question, answer }: QuestionAnswer): string {
  return `An earlier agent asked: ${question}\nAnswer: ${answer ?? "approved, without a comment"}`;
}

/** The session goes on later: nothing has failed. */
function isPutOff({ outcome: { kind } }: SessionResult): boolean {
  return kind === "rate-limited" || kind === "needs-input";
}

interface FailedSession {
  readonly result: SessionResult;
  readonly spending: WorkflowSpending | undefined;
}

async function settleFailure(
  input: SessionInput,
  context: StepContext,
  runtime: StepRuntime,
  { result, spending }: FailedSession,
): Promise<Expansion> {
  const { outcome } = result;
  const cause = usageError(result.usage);
  if (outcome.kind === "rate-limited")
    throw new RateLimitError(outcomeText(outcome), outcome.retryAfterMs ?? RATE_LIMIT_MS, { cause });
  if (outcome.kind === "needs-input") return askPerson(input, context, outcome.question, result.usage);
  if (spending?.isUsedUp === true) return await fail(input, context, runtime, budgetError(spending, cause));
  const message = result.error ?? outcomeText(outcome);
  return await fail(input, context, runtime, new TaskError(errorType(outcome), message, cause));
}

function errorType(outcome: AgentOutcome): ErrorType {
  switch (outcome.kind) {
    case "timed-out":
    case "stalled":
      return ErrorType.AgentTimeout;
    case "spawn-error":
    case "tampered":
      return ErrorType.ConfigurationError;
    case "failed":
      return outcome.isLasting ? ErrorType.ConfigurationError : ErrorType.ResourceUnavailable;
    default:
      return ErrorType.ResourceUnavailable;
  }
}

/** Throws the error that tells the engine how to go on. */
async function fail(input: SessionInput, context: StepContext, runtime: StepRuntime, error: Error): Promise<never> {
  const { settings, workflow, task, fix } = input;
  const handler = new ErrorHandler({
    ...settings,
    retryableErrors: settings.retry.retryableErrors,
    ...(runtime.strategy === undefined ? {} : { strategy: runtime.strategy }),
  });
  const resolution = await handler.handleTaskError(
    { id: task.id, workflowId: workflow.workflowId },
    error,
    context.attempt,
  );
  if (resolution.type === "retry") throw retryError(error, resolution.retryDelay);
  if (fix === undefined || fix === null)
    await runtime.ports.taskBackend.failTask(backendTaskId(workflow.workflowId, task), error.message);
  // Work that has not landed is kept under a ref (WS4).
  if (!settings.preserveOnFailure)
    await runtime.ports.workspacePort.destroyWorkspace(`${workflow.workflowId}/${fix?.fixTaskId ?? task.id}`);
  throw permanentError(error);
}

/** Another agent goes on with the comment of the person who approves. */
function askPerson(input: SessionInput, context: StepContext, question: string, usage: AgentUsage): Expansion {
  const { answers = [], settings } = input;
  return expand(
    [
      { id: "question", approve: { message: escapeTemplates(question) as string } },
      {
        id: "session",
        agent: CODE_AGENTS.session,
        dependsOn: ["question"],
        resources: { ...context.resources },
        ...stepAttempts(settings),
        input: {
          ...(escapeTemplates({ ...input, usage: addUsage(input.usage ?? {}, usage) }) as object),
          answers: [
            ...(escapeTemplates(answers) as readonly Json[]),
            { question: escapeTemplates(question) as string, answer: "${ steps.question.output.votes[-1].comment }" },
          ],
        },
      },
    ],
    { result: "session" },
  );
}
