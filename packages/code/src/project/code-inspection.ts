// A code workflow and its repository, for commands that look at them: diffs, kept workspaces, and what can be removed.

import type { Engine, ExecutionHandle } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import {
  branchRef,
  checkWorkspace,
  fixTaskId,
  LANDING_NAME,
  landedRef,
  taskBranch,
  workflowBranch,
} from "../git/branch-names.ts";
import { mergeTrees } from "../git/merge-trees.ts";
import type { Oid } from "../git/oid.ts";
import { WORKFLOW_LANDING } from "../steps/merge-step.ts";
import type { CodeInput } from "../steps/step-values.ts";
import { pullRequestId } from "../vcs/pull-request-refs.ts";
import type { PullRequestChecks, PullRequestStatus } from "../vcs/pull-requests.ts";
import { readCodeInput } from "../executor/code-input.ts";
import { SESSION } from "../executor/workflow-catalog.ts";
import { OpenRepository } from "./open-repository.ts";

/** The workspaces and branches that `clean` has removed and kept. */
export interface CleanResult {
  readonly removed: readonly string[];
  /** Workspaces and branches that hold work which has not landed. */
  readonly kept: readonly string[];
}

/** No execution has more fixes for one task. */
const FIXES_MAX = 100;

/** A pull request without a forge, as its repository has it. */
export interface PullRequestReport {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly state: PullRequestStatus["kind"];
  readonly checks: PullRequestChecks;
}

/** Looks at a code workflow from outside: diffs, pull requests and workspaces. */
export class CodeInspection implements AsyncDisposable {
  readonly id: string;
  readonly #input: CodeInput;
  /** The tasks of the template, and those that were added since. */
  readonly #tasks: readonly string[];
  readonly #opened: OpenRepository;

  constructor(id: string, input: CodeInput, tasks: readonly string[], opened: OpenRepository) {
    this.id = id;
    this.#input = input;
    this.#tasks = tasks;
    this.#opened = opened;
  }

  /** The changes with which a task landed, or those of its last agent so far. */
  async diff(task: string): Promise<string> {
    this.#checkTask(task);
    const { repository, objects } = this.#opened;
    const landed = await repository.resolve(landedRef(this.id, task));
    if (landed !== undefined) return await objects.text([...DIFF, `${landed}^1`, landed]);
    const target = await repository.resolve(branchRef(workflowBranch(this.id)));
    for (const id of this.#names(task).toReversed()) {
      const head = await repository.resolve(branchRef(taskBranch(this.id, id)));
      if (head !== undefined && target !== undefined) return await objects.text([...DIFF, `${target}...${head}`]);
    }
    throw new CodeError("TASK_UNKNOWN", `the task \`${task}\` has no changes: no agent has worked on it`);
  }

  /** The pull request of a task, or that of the landing; undefined if there is none, or if a forge keeps it. */
  async pullRequest(task: string = LANDING_NAME): Promise<PullRequestReport | undefined> {
    const { vcs } = this.#opened;
    for (const name of this.#names(task).toReversed()) {
      const isLanding = task === LANDING_NAME && name === task;
      const source = isLanding ? workflowBranch(this.id) : taskBranch(this.id, name);
      const target = task === LANDING_NAME ? this.#input.baseBranch : workflowBranch(this.id);
      const id = pullRequestId({ source, target });
      const texts = await vcs.readPullRequest(id);
      if (texts === undefined) continue;
      const { kind: state } = await vcs.getPullRequestStatus(id);
      return { id, title: texts.title, body: texts.body, state, checks: await vcs.getPullRequestChecks(id) };
    }
    return undefined;
  }

  /** The folder of the last agent of a task, or of the landing on the base branch; undefined if it is not kept. */
  async workspacePath(task: string): Promise<string | undefined> {
    if (task !== LANDING_NAME) this.#checkTask(task);
    const workspaces = this.#opened.workspaces(this.#input.settings.workspaces);
    for (const id of this.#names(task).toReversed()) {
      const path = await workspaces.getWorkspacePath(`${this.id}/${id}`);
      if (path !== undefined) return path;
    }
    return undefined;
  }

  /** Removes workspaces and branches whose work has landed. */
  async clean(): Promise<CleanResult> {
    const removed: string[] = [];
    const kept: string[] = [];
    for (const task of [...this.#tasks, LANDING_NAME]) {
      const marker = task === LANDING_NAME ? WORKFLOW_LANDING : task;
      const hasLanded = (await this.#findLanding(marker)) !== undefined;
      for (const name of this.#names(task).flatMap((each) => [each, checkWorkspace(each)]))
        await this.#cleanTask(name, marker, hasLanded, { removed, kept });
    }
    await this.#cleanBranch(workflowBranch(this.id), WORKFLOW_LANDING, { removed, kept });
    return { removed, kept };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]();
  }

  async #cleanTask(
    name: string,
    marker: string,
    hasLanded: boolean,
    result: { readonly removed: string[]; readonly kept: string[] },
  ): Promise<void> {
    const workspaces = this.#opened.workspaces(this.#input.settings.workspaces);
    const path = await workspaces.getWorkspacePath(`${this.id}/${name}`);
    if (path !== undefined && !hasLanded) result.kept.push(path);
    if (path !== undefined && hasLanded) {
      await workspaces.destroyWorkspace(`${this.id}/${name}`);
      result.removed.push(path);
    }
    await this.#cleanBranch(taskBranch(this.id, name), marker, result);
  }

  async #cleanBranch(
    branch: string,
    marker: string,
    { removed, kept }: { readonly removed: string[]; readonly kept: string[] },
  ): Promise<void> {
    const head = await this.#opened.repository.resolve(branchRef(branch));
    if (head === undefined) return;
    const landing = await this.#findLanding(marker);
    if (landing === undefined || !(await this.#hasWork(landing, head))) return void kept.push(branch);
    try {
      await this.#opened.vcs.deleteBranch(branch, head, { workflowId: this.id, name: marker });
      removed.push(branch);
    } catch (error) {
      if (!(error instanceof CodeError) || error.code !== "BRANCH_NOT_LANDED") throw error;
      kept.push(branch);
    }
  }

  /** The commit of a landing. An agent can write a marker, so it counts only if a branch has its commit. */
  async #findLanding(marker: string): Promise<Oid | undefined> {
    const { repository } = this.#opened;
    const landed = await repository.resolve(landedRef(this.id, marker));
    if (landed === undefined) return undefined;
    for (const branch of [workflowBranch(this.id), this.#input.baseBranch]) {
      const head = await repository.resolve(branchRef(branch));
      if (head !== undefined && (await this.#isPartOf(landed, head))) return landed;
    }
    return undefined;
  }

  /** Whether a landing has the work of a branch. After a squash it has the changes without the commits. */
  async #hasWork(landing: Oid, head: Oid): Promise<boolean> {
    if (await this.#isPartOf(head, landing)) return true;
    const { objects } = this.#opened;
    const merged = await mergeTrees(objects, landing, head);
    return merged.kind === "clean" && merged.tree === (await objects.tree(landing));
  }

  async #isPartOf(commit: string, head: string): Promise<boolean> {
    return (await this.#opened.objects.run(["merge-base", "--is-ancestor", commit, head])).exitCode === 0;
  }

  /** The task and all fixes that it may have had. */
  #names(task: string): readonly string[] {
    const count = Math.min(this.#input.settings.maxFixAttempts, FIXES_MAX);
    return [task, ...Array.from({ length: count }, (_, index) => fixTaskId(task, index + 1))];
  }

  #checkTask(task: string): void {
    if (this.#tasks.includes(task)) return;
    const known = this.#tasks.map((each) => `\`${each}\``);
    throw new CodeError("TASK_UNKNOWN", `the workflow has no task \`${task}\`; it has ${known.join(", ")}`);
  }
}

const DIFF = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--end-of-options"];

/** Opens the repository of an execution. Throws if the execution is not a code workflow. */
export async function inspectCode(engine: Engine, handle: ExecutionHandle): Promise<CodeInspection> {
  const input = await readCodeInput(engine, handle.id);
  const { repository } = input?.settings ?? {};
  if (input === undefined || repository === undefined)
    throw new CodeError("WORKFLOW_NOT_CODE", `the execution ${handle.id} is not a code workflow`);
  const { steps } = await handle.status();
  const started = steps.flatMap(({ name }) => SESSION.exec(name)?.[1] ?? []);
  const tasks = new Set([...Object.keys(input.tasks), ...started]);
  return new CodeInspection(handle.id, input, [...tasks], await OpenRepository.open(repository));
}
