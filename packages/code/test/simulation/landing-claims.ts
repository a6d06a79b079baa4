// The claims about the end of a run (CODE-3, CODE-6, CODE-7, CODE-9).
//
//   K1. A task is completed if and only if it has landed: its marker exists, and its work is in the branch.
//   K2. If a workflow is completed, the work of all its tasks is on main, and the branches of its tasks are gone.
//   K3. The commits of agents and people are reachable, and the files of the user are on main.
//   K4. A task has no more fixes than its budget allows, one if the first left the failure as it was, and none if nothing
//       was wrong with it.
//   K5. If a person repairs all that is escalated, every task is completed.
//   K6. A person is asked once to approve a merge.

import type { ExecutionReport } from "@segno/engine";
import { branchRef, landedRef, workflowBranch } from "../../src/git/branch-names.ts";
import { completedTasks } from "../../src/executor/workflow-progress.ts";
import type { LandingRun } from "./landing-run.ts";
import type { TaskPlan, WorkflowPlan } from "./landing-plan.ts";
import { linesOf, ownFile, sharedLine, type Files } from "./simulated-files.ts";

/** The first claim that does not hold. */
export function findBrokenClaim(run: LandingRun): string | undefined {
  for (const workflow of run.plan.workflows) {
    const report = run.reports.get(workflow.id)!;
    const broken = workflowClaim(run, workflow, report) ?? fixClaim(run, workflow, report) ?? approvalClaim(report);
    if (broken !== undefined) return broken;
  }
  return keptClaim(run);
}

function workflowClaim(run: LandingRun, workflow: WorkflowPlan, report: ExecutionReport): string | undefined {
  const { repository } = run.disk;
  const done = new Set(completedTasks(report));
  for (const task of workflow.tasks) {
    const hasLanded = repository.resolve(landedRef(workflow.id, task.id)) !== undefined;
    const isDone = done.has(task.id);
    const name = `${workflow.id}/${task.id}`;
    if (run.plan.person === "repairs" && !isDone) return `K5 ${name} is not completed: ${failuresOf(report)}`;
    if (task.trouble === "idle") continue;
    if (hasLanded !== isDone)
      return `K1 ${name} is ${isDone ? "" : "not "}completed and has ${hasLanded ? "" : "not "}landed: ${failuresOf(report)}`;
    if (isDone && !holds(filesOn(run, workflowBranch(workflow.id)), workflow, task))
      return `K1 the work of ${name} is not in the workflow branch`;
    if (report.status === "completed" && !holds(filesOn(run, "main"), workflow, task))
      return `K2 the work of ${name} is not on main`;
  }
  if (report.status !== "completed") return undefined;
  const left = workflow.tasks
    .filter(({ trouble }) => trouble !== "idle")
    .flatMap(({ id }) => repository.refs(`refs/heads/task/${workflow.id}-${id}`))
    .concat(repository.refs(`refs/heads/workflow/${workflow.id}-`))
    .filter((ref) => !run.disk.userCommits.has(repository.resolve(ref)!));
  return left.length > 0 ? `K2 ${left.join(", ")} left behind` : undefined;
}

function failuresOf({ steps }: ExecutionReport): string {
  return steps
    .flatMap(({ name, detail }) => (detail.kind === "failure" ? [`${name}: ${detail.failure.message}`] : []))
    .join("; ");
}

function filesOn(run: LandingRun, branch: string): Files {
  return run.disk.repository.read(run.disk.repository.resolve(branchRef(branch))!).files;
}

function holds(files: Files, workflow: WorkflowPlan, { id, trouble, sharedFile }: TaskPlan): boolean {
  const hasOwn = files.get(ownFile(workflow.id, id)) === `${id}\n`;
  if (trouble !== "shared") return hasOwn;
  return hasOwn && linesOf(files.get(sharedFile) ?? "").includes(sharedLine(workflow.id, id));
}

/** K4. */
function fixClaim(run: LandingRun, workflow: WorkflowPlan, { steps }: ExecutionReport): string | undefined {
  const limits = workflow.tasks.map((task) => [`merge-${task.id}`, fixLimit(run, workflow, task)] as const);
  for (const [scope, limit] of [["land", workflow.fixesMax] as const, ...limits]) {
    const fixes = steps.filter(
      ({ name, attempts }) => name.startsWith(`${scope}/`) && /\/fix-\d+$/u.test(name) && attempts > 0,
    );
    if (fixes.length > limit) return `K4 ${workflow.id}/${scope} has ${fixes.length} fixes, not at most ${limit}`;
  }
  return undefined;
}

function fixLimit({ plan }: LandingRun, workflow: WorkflowPlan, { trouble, helpsAt }: TaskPlan): number {
  if (trouble === "none" || trouble === "idle") return 0;
  const isRepeated = plan.isComparable && helpsAt > 1 && workflow.uselessFix === "changes another file";
  return isRepeated ? 1 : workflow.fixesMax;
}

/** K6. */
function approvalClaim({ steps }: ExecutionReport): string | undefined {
  const names = new Set(steps.map(({ name }) => name));
  const asked = [...names].find(
    (name) => name.endsWith("/approval") && names.has(`${name.slice(0, -"approval".length)}merge/approval`),
  );
  return asked === undefined ? undefined : `K6 ${asked} is asked again`;
}

/** K3. */
function keptClaim({ disk, ledger }: LandingRun): string | undefined {
  const lost = [...disk.works].find((work) => !ledger.isReachable(work));
  if (lost !== undefined) return `K3 the work ${lost.slice(0, 8)} is lost`;
  const main = disk.repository.read(disk.repository.resolve(branchRef("main"))!).files;
  const lines = new Set([...main.values()].flatMap(linesOf));
  const missing = [...disk.userLines].find((line) => !lines.has(line));
  return missing === undefined ? undefined : `K3 the text ${missing} of the user is not on main`;
}
