// The step that merges the work of a task into the workflow branch, and the one that lands the workflow branch on the base
// branch (CODE-5, CODE-6, CODE-7).
//
//   ME1. The number of fixes and the fingerprints of the failures are in the input of the step, so they are in the journal:
//        a restart neither forgets a fix nor allows another.
//   ME2. The first failure opens the step as a scope with all fixes that the budget allows (`fix-chain.ts`). A merge in
//        that scope reports a failure as its output, and the next fix starts if its output says so.
//   ME3. A fix that changed nothing lands nothing: its files are those of the merge that failed, with conflict markers or
//        with the failure of the checks.
//   ME4. Everything after the landing may be repeated: the marker says that the work has landed.

import type { Expansion, StepContext } from "@segno/engine";
import { RetryAfterError } from "@segno/kernel";
import { CodeError } from "../errors/code-error.ts";
import { checkWorkspace, fixTaskId, LANDING_NAME, taskBranch } from "../git/branch-names.ts";
import { ErrorType } from "../model/error-type.ts";
import type { MergeResult } from "../model/merge-result.ts";
import { failureFingerprint } from "../merging/failure-fingerprint.ts";
import type { MergePolicyRequest } from "../merging/merge-policies.ts";
import { ErrorHandler } from "../resolution/error-handler.ts";
import type { CheckResult, LandingMarker, MergedCommit } from "../vcs/branches.ts";
import { backendTaskId, toCodeTask } from "./backend-task.ts";
import { checkCommit } from "./commit-check.ts";
import { writeMergeBundle } from "./debug-bundle.ts";
import { fixChain } from "./fix-chain.ts";
import { cleanUp, workspaceTask } from "./landed-work.ts";
import { logFailure, mergePolicyOf, taskText, tellFailure } from "./merge-reports.ts";
import { waitWithMerge } from "./merge-wait.ts";
import { permanentError } from "./permanent-error.ts";
import { keptWorkspace } from "./kept-workspace.ts";
import type { StepRuntime } from "./step-runtime.ts";
import { provideWorkspace } from "./workspace-setup.ts";
import type { FailedMergeValue, FixInput, MergeInput, MergeValue, WorkValue } from "./step-values.ts";

/** The name of the landing of the whole workflow, where a task id stands otherwise. Task ids do not begin with `_`. */
export const WORKFLOW_LANDING = "_workflow";

export async function runMerge(
  input: MergeInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<MergeValue | Expansion> {
  const work = await findWork(input, context, runtime);
  if (work === null || work.unfinished !== undefined)
    return await settleFailure({ ...input, work }, noWork(input, work), context, runtime);
  if (work.kind === "unchanged") return await settleLanding(input, work, { commit: work.commit }, runtime);
  const earlier = (await mergePolicyOf(input, runtime).getMergeStatus(mergeId(input)))?.result?.waitingFor;
  const result = await mergeWork(input, work, context, runtime);
  if (result.success) return await settleLanding(input, work, { commit: work.commit, ...result }, runtime);
  const { waitingFor: waiting } = result;
  if (waiting !== undefined) return await waitWithMerge(input, { waiting, earlier }, context, runtime);
  await tellFailure(input, result, context, runtime);
  if (result.error?.type === ErrorType.ResourceUnavailable) throw new Error(result.error.message);
  return await settleFailure({ ...input, work }, result, context, runtime);
}

async function mergeWork(
  input: MergeInput,
  work: WorkValue,
  context: StepContext,
  runtime: StepRuntime,
): Promise<MergeResult> {
  const result = await merge(input, work, context, runtime);
  // The base branch may have been repaired since the workflow branch was created.
  const isHelped = result.waitingFor?.kind === "base-broken" && (await takeBase(input, work, context, runtime));
  return isHelped ? await merge(input, work, context, runtime) : result;
}

/**
 * Merges the base branch into the workflow branch, and returns whether the workflow branch has changed. A base that cannot be
 * merged, or whose own checks fail, is not taken.
 */
async function takeBase(
  input: MergeInput,
  work: WorkValue,
  context: StepContext,
  runtime: StepRuntime,
): Promise<boolean> {
  const { vcsPort } = runtime.ports;
  const check =
    checkCommands(input).length === 0 ? {} : { check: checker(input, toCheckedWork(input, work), context, runtime) };
  const { baseBranch, baseCommit, workflowBranch, workflowId } = input.workflow;
  const { head } = await vcsPort.getBranchStatus(baseBranch);
  if (input.task === undefined || head === undefined || head === baseCommit) return false;
  const outcome = await vcsPort.mergeBranch({
    source: baseBranch,
    sourceHead: head,
    target: workflowBranch,
    marker: { workflowId, name: `_base-${head}` },
    isSquashed: false,
    message: `Merge ${baseBranch} into ${workflowBranch}\n\nSegno-Execution: ${workflowId}\nSegno-Base: ${head}\n`,
    atMs: Date.now(),
    ...check,
  });
  if (outcome.kind === "landed") return outcome.isNew;
  context.log.warn("Base was not merged", { reason: outcome.kind });
  return false;
}

/** Null if the agent of a fix produced nothing that can be merged. */
async function findWork(input: MergeInput, context: StepContext, { ports }: StepRuntime): Promise<WorkValue | null> {
  const { work, workflow, reopened } = input;
  if (reopened !== undefined) return await findRepair(reopened, context, ports);
  if (work !== undefined) return work;
  if (input.reopened !== undefined) return null;
  const branch = workflow.workflowBranch;
  const { head } = await ports.vcsPort.getBranchStatus(branch);
  if (head === undefined)
    throw permanentError(new CodeError("GIT_FAILED", `the branch \`${branch}\` does not exist any more`));
  return {
    kind: head === workflow.baseCommit ? "unchanged" : "changed",
    branch,
    commit: head,
    workspaceId: `${workflow.workflowId}/${LANDING_NAME}`,
    sessionId: "",
    changedFiles: [],
    usage: {},
  };
}

/** The work that a person repaired, the last one first; otherwise the last work that an agent finished. */
async function findRepair(
  reopened: readonly (WorkValue | null)[],
  context: StepContext,
  ports: StepRuntime["ports"],
): Promise<WorkValue | null> {
  const works = reopened.filter((each) => each !== null);
  for (const work of works) {
    const repaired = await collectRepair(work, context, ports);
    if (repaired.commit !== work.commit) return repaired;
  }
  // A fix without changes starts from the merge that failed, perhaps with conflict markers, so it is not work to land.
  return works.find(({ unfinished }) => unfinished === undefined) ?? works[0] ?? null;
}

/**
 * A person may have repaired the files in the kept workspace, may have merged and committed there, or may have moved the
 * branch. A workspace that belongs to another branch is the one in which a landing was checked.
 */
async function collectRepair(
  { unfinished, ...work }: WorkValue,
  { log }: StepContext,
  { workspacePort, vcsPort }: StepRuntime["ports"],
): Promise<WorkValue> {
  const status = await workspacePort.getWorkspaceStatus(work.workspaceId);
  if (status.kind === "present" && status.branch === work.branch) {
    // A repair of unfinished work replaces the merge that failed, so it must not replace commits of a person.
    if (unfinished !== undefined && status.head !== work.commit) return { ...work, unfinished };
    const committed = await workspacePort.commitChanges(work.workspaceId, {
      since: status.head,
      ...(unfinished ?? { keepsCommits: true }),
      message: "Repair by a person",
      atMs: Date.now(),
    });
    if (committed.kind === "committed") return { ...work, kind: "changed", commit: committed.commit };
    if (committed.kind !== "unchanged") log.error("Repair was refused", { reason: committed.reason });
  }
  if (unfinished !== undefined) return { ...work, unfinished };
  const { head } = await vcsPort.getBranchStatus(work.branch);
  return head === undefined || head === work.commit ? work : { ...work, kind: "changed", commit: head };
}

async function merge(
  input: MergeInput,
  work: WorkValue,
  context: StepContext,
  runtime: StepRuntime,
): Promise<MergeResult> {
  const { stepMergePolicy, workflowMergePolicy } = runtime.ports;
  const request = mergeRequest(input, work, context, runtime);
  const { task, workflow } = input;
  const policy = mergePolicyOf(input, runtime);
  runtime.host.mergeOpened(context.execution.id, request.mergeId, () => policy.cancelMerge(request.mergeId));
  try {
    if (task === undefined) return await workflowMergePolicy.mergeWorkflow(request);
    return await stepMergePolicy.mergeStep({ ...request, task: toCodeTask(workflow.workflowId, task) });
  } catch (error) {
    // Only a person can tell what happened to the branch; another attempt finds the same.
    if (error instanceof CodeError && error.code === "LANDING_MARKER_INVALID") throw permanentError(error);
    throw error;
  }
}

function mergeRequest(
  input: MergeInput,
  work: WorkValue,
  context: StepContext,
  runtime: StepRuntime,
): MergePolicyRequest {
  const { task, workflow, isApproved = false } = input;
  const title = task?.title ?? `Workflow ${workflow.template}`;
  const commands = checkCommands(input);
  return {
    mergeId: mergeId(input),
    workflowId: workflow.workflowId,
    vcs: runtime.ports.vcsPort,
    marker: landingMarker(input),
    sourceBranch: work.branch,
    sourceHead: work.commit,
    targetBranch: task === undefined ? workflow.baseBranch : workflow.workflowBranch,
    title,
    message: mergeMessage(input, title),
    atMs: Date.now(),
    isApproved,
    signal: context.signal,
    ...(commands.length === 0 ? {} : { check: checker(input, toCheckedWork(input, work), context, runtime) }),
  };
}

/** A person may still work in the workspace of a merge that was escalated, so it is checked in another one. */
function toCheckedWork({ reopened }: MergeInput, work: WorkValue): WorkValue {
  return reopened === undefined ? work : { ...work, workspaceId: checkWorkspace(work.workspaceId) };
}

function checkCommands({ task, settings }: MergeInput): readonly string[] {
  return task?.checks ?? settings.checks;
}

function checker(
  input: MergeInput,
  { workspaceId, commit, branch: source }: WorkValue,
  context: StepContext,
  runtime: StepRuntime,
): (merged: MergedCommit) => Promise<CheckResult> {
  const branch = taskBranch(context.execution.id, workspaceTask(workspaceId));
  return async (merged) => {
    // The landing of the workflow has no agent, so its workspace is made here.
    const request = { workspaceId, branch, base: commit, isForChecksOnly: branch !== source };
    await provideWorkspace(request, input, context, runtime);
    return await checkCommit(merged, {
      workspaces: runtime.ports.workspacePort,
      workspaceId,
      work: commit,
      commands: checkCommands(input),
      parameters: input.workflow.parameters,
      processes: runtime.host.processes(context),
      signal: context.signal,
      maskText: (text) => runtime.host.maskText(text),
      onFlake: (command) => context.log.warn("Check passed only the second time", { command }),
    });
  };
}

function mergeMessage({ task, workflow }: MergeInput, title: string): string {
  const name = task?.id ?? WORKFLOW_LANDING;
  return `${title.replaceAll(/\s+/gu, " ").trim()}\n\nSegno-Execution: ${workflow.workflowId}\nSegno-Task: ${name}\n`;
}

/** The ids of a merge: of a task, or of the whole workflow. */
export interface MergeNames {
  readonly task?: { readonly id: string };
  readonly workflow: { readonly workflowId: string };
}

export function mergeId({ task, workflow }: MergeNames): string {
  return `${workflow.workflowId}/${task?.id ?? WORKFLOW_LANDING}`;
}

export function landingMarker({ task, workflow }: MergeNames): LandingMarker {
  return { workflowId: workflow.workflowId, name: task?.id ?? WORKFLOW_LANDING };
}

async function settleLanding(
  input: MergeInput,
  work: WorkValue,
  { commit, isOtherWork = false }: { readonly commit: string; readonly isOtherWork?: boolean },
  runtime: StepRuntime,
): Promise<MergeValue> {
  const { task, workflow } = input;
  runtime.host.mergeLanded(workflow.workflowId, mergeId(input));
  if (task !== undefined) runtime.unlanded.remove(workflow.workflowId, task.id);
  await cleanUp(input, { ...work, hasLanded: !isOtherWork }, runtime.ports);
  const { summary, changedFiles } = work;
  const result = { success: true, commit, ...(summary === undefined ? {} : { summary }) };
  if (task !== undefined)
    await runtime.ports.taskBackend.completeTask(backendTaskId(workflow.workflowId, task), result);
  return {
    kind: "landed",
    commit,
    artefact: { ...(summary === undefined ? {} : { summary }), commit, changedFiles: changedFiles.slice(0, FILES_MAX) },
  };
}

/** More names would only fill the journal and the prompts of later tasks. */
const FILES_MAX = 200;

function noWork(input: MergeInput, work: WorkValue | null): MergeResult {
  const message =
    work === null
      ? "the agent of the fix did not finish its work"
      : "the fix left the failure as it was: it changed nothing";
  return { success: false, mergeId: mergeId(input), error: { type: ErrorType.CIFailure, message } };
}

async function settleFailure(
  input: MergeInput,
  result: MergeResult,
  context: StepContext,
  runtime: StepRuntime,
): Promise<MergeValue | Expansion> {
  await writeMergeBundle(runtime, input, result);
  const value = await failedMerge(input, result, context, runtime);
  const chained = await withArtefacts(input, value, context, runtime);
  return input.isInChain === true ? value : fixChain(chained, value, context.resources);
}

/** The landing depends on all tasks, so its fixes get the results of all. They are read only when they are needed. */
async function withArtefacts(
  input: MergeInput,
  { next }: FailedMergeValue,
  { execution }: StepContext,
  { host }: StepRuntime,
): Promise<MergeInput> {
  if (input.task !== undefined || input.isInChain === true || next !== "fix") return input;
  return { ...input, artefacts: await host.executions.artefacts(execution.id) };
}

async function failedMerge(
  input: MergeInput,
  result: MergeResult,
  context: StepContext,
  runtime: StepRuntime,
): Promise<FailedMergeValue> {
  const { task, workflow, fixesMade = 0, fingerprints = [], settings } = input;
  const { error = { type: ErrorType.CIFailure, message: "the merge failed" }, conflicts, ciLogs, failed } = result;
  const fingerprint = failureFingerprint(
    conflicts === undefined
      ? { kind: "check-failed", command: failed?.command ?? error.message, log: ciLogs ?? "" }
      : { kind: "conflict", files: conflicts.files },
  );
  logFailure(error.message, ciLogs, context);
  const handler = new ErrorHandler({
    ...settings,
    retryableErrors: settings.retry.retryableErrors,
    ...(runtime.strategy === undefined ? {} : { strategy: runtime.strategy }),
  });
  const id = task?.id ?? LANDING_NAME;
  const resolution = await handler.handleMergeError({ id, workflowId: workflow.workflowId }, result, {
    attempt: context.attempt,
    fixesMade,
    isRepeated: fingerprints.includes(fingerprint),
    originalIntent: task === undefined ? `Land ${workflow.workflowBranch}` : `${task.title}\n\n${task.instructions}`,
  });
  const common = {
    kind: "failed" as const,
    error,
    fingerprints: [...fingerprints, fingerprint],
    branch: input.work?.branch ?? taskBranch(workflow.workflowId, fixesMade === 0 ? id : fixTaskId(id, fixesMade)),
    ...(conflicts === undefined ? {} : { conflicts }),
    ...(ciLogs === undefined ? {} : { ciLogs }),
  };
  if (resolution.type === "retry") throw new RetryAfterError(error.message, resolution.retryDelay);
  const fix = resolution.type === "fix_task" ? toFix(input, result, id, fixesMade + 1) : undefined;
  // The default task only repeats the failure, which the agent gets anyway.
  const instructions =
    resolution.type === "fix_task" && runtime.strategy !== undefined ? taskText(resolution.task) : "";
  if (fix === undefined) {
    const reason = resolution.type === "escalate" ? resolution.reason : error.message;
    const workspace = await keptWorkspace(id, input, runtime);
    return { ...common, next: "escalate", reason, ...(workspace === undefined ? {} : { workspace }) };
  }
  if (instructions === "") return { ...common, next: "fix", reason: error.message, fix };
  return { ...common, next: "fix", reason: error.message, fix: { ...fix, context: { ...fix.context, instructions } } };
}

/** Undefined if there is no commit from which an agent could start, such as after a fix that changed nothing. */
function toFix(
  { task, work, workflow }: MergeInput,
  { error, conflicts, ciLogs, failed }: MergeResult,
  id: string,
  fixNumber: number,
): FixInput | undefined {
  const start = failed?.commit ?? work?.commit;
  if (start === undefined || error === undefined || work?.unfinished !== undefined) return undefined;
  const conflictedPaths = (conflicts?.files ?? []).map(({ path }) => path);
  const isConflict = conflicts !== undefined && failed !== undefined && work !== undefined && work !== null;
  return {
    fixTaskId: fixTaskId(id, fixNumber),
    start,
    // The commit with conflict markers is never part of the history: its parents are those of the repaired commit.
    parents: isConflict ? [work.commit, failed.onto] : [start],
    conflictedPaths,
    context: {
      originalTaskId: id,
      originalIntent: task === undefined ? `Land ${workflow.workflowBranch}` : `${task.title}\n\n${task.instructions}`,
      error,
      ...(conflicts === undefined ? {} : { conflicts }),
      ...(ciLogs === undefined ? {} : { ciLogs }),
      fixNumber,
    },
  };
}
