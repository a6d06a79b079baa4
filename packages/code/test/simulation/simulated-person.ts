// The person who looks after the workflows: answers questions, repairs what was escalated, repairs a broken base, and
// resumes executions that stopped.

import type { Engine, ExecutionHandle, ExecutionReport } from "@segno/engine";
import { branchRef, fixTaskId, LANDING_NAME, taskBranch, workflowBranch } from "../../src/git/branch-names.ts";
import type { LandingDisk } from "./landing-disk.ts";
import type { LandingPlan, WorkflowPlan } from "./landing-plan.ts";
import { filesKey, repair, repairBase, withoutBroken } from "./simulated-files.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const LOOK_MS = 400;
/** A person who has repaired a merge so often gives up. */
const REPAIRS_MAX = 4;

export class SimulatedPerson {
  readonly #disk: LandingDisk;
  readonly #plan: LandingPlan;
  readonly #repairs = new Map<string, number>();
  /** How often each workflow was resumed. */
  readonly resumes: Map<string, number> = new Map();
  /** Approvals that were given. */
  readonly approved: Map<string, number> = new Map();

  constructor(disk: LandingDisk, plan: LandingPlan) {
    this.#disk = disk;
    this.#plan = plan;
  }

  /** Works with an engine until its process dies. */
  async watch(process: SimulatedProcess, engine: Engine, workflow: WorkflowPlan): Promise<void> {
    for (;;) {
      await process.environment.sleep(LOOK_MS, "person");
      const handle = await engine.get(workflow.id);
      await this.#look(handle, await handle.status(), workflow);
    }
  }

  async #look(handle: ExecutionHandle, report: ExecutionReport, workflow: WorkflowPlan): Promise<void> {
    // An execution that is failing may be paused, too.
    if (["paused", "parked", "failing"].includes(report.status)) {
      const resumes = (this.resumes.get(workflow.id) ?? 0) + 1;
      this.resumes.set(workflow.id, resumes);
      if (resumes >= this.#plan.baseRepairedAt) this.#repairBase(workflow);
      await handle.resume();
    }
    for (const { name, detail } of report.steps) {
      if (detail.kind !== "wait") continue;
      const last = name.split("/").at(-1);
      if (last === "escalation") await this.#settle(handle, name, workflow);
      else if (last === "approval") await this.#approve(handle, name);
    }
  }

  async #settle(handle: ExecutionHandle, step: string, workflow: WorkflowPlan): Promise<void> {
    const repairs = (this.#repairs.get(`${workflow.id} ${step}`) ?? 0) + 1;
    this.#repairs.set(`${workflow.id} ${step}`, repairs);
    const isHopeless = step.split("/").filter((name) => name === "resolved").length >= REPAIRS_MAX;
    if (this.#plan.person === "rejects" || isHopeless) return void (await handle.reject(step, { by: "person" }));
    if (repairs === 1) this.#repairWork(workflow, step);
    await handle.approve(step, { by: "person", id: step });
  }

  async #approve(handle: ExecutionHandle, step: string): Promise<void> {
    this.approved.set(`${handle.id} ${step}`, (this.approved.get(`${handle.id} ${step}`) ?? 0) + 1);
    await handle.approve(step, { by: "person", id: step });
  }

  /** The branch of the workflow had the fault from the beginning. Other faults of the base reach it by a merge. */
  #repairBase(workflow: WorkflowPlan): void {
    const { repository, userCommits } = this.#disk;
    for (const [branch, repaired] of [
      ["main", repairBase],
      [workflowBranch(workflow.id), withoutBroken],
    ] as const) {
      const head = repository.resolve(branchRef(branch));
      if (head === undefined) continue;
      const { files } = repository.read(head);
      const next = repaired(files);
      if (filesKey(next) === filesKey(files)) continue;
      const changes = Object.fromEntries([...files.keys(), ...next.keys()].map((name) => [name, next.get(name)]));
      userCommits.add(repository.commitOn(branch, changes, "repair the base"));
    }
  }

  /** Merges the target into the branches of the task by hand, and repairs the files, as one does in the kept folder. */
  #repairWork({ id }: WorkflowPlan, step: string): void {
    const task = /^merge-([^/]+)\//u.exec(step)?.[1];
    const target = task === undefined ? "main" : workflowBranch(id);
    const name = task ?? LANDING_NAME;
    const branches = [name, fixTaskId(name, 1), fixTaskId(name, 2)].map((each) => taskBranch(id, each));
    for (const branch of task === undefined ? [workflowBranch(id), ...branches] : branches)
      this.#repairBranch(branch, target);
  }

  #repairBranch(branch: string, target: string): void {
    const { repository, folders, works, userCommits } = this.#disk;
    const head = repository.resolve(branchRef(branch));
    if (head === undefined) return;
    const onto = repository.resolve(branchRef(target))!;
    const files = repair(repository.merge(onto, head).files);
    const commit = repository.commit({ files, parents: [head, onto], message: "repair by hand", atMs: 0 });
    repository.move(branchRef(branch), head, commit);
    works.add(commit);
    userCommits.add(commit);
    const folder = [...folders.values()].find((each) => each.branch === branch);
    if (folder === undefined) return;
    folder.files.clear();
    for (const [path, text] of files) folder.files.set(path, text);
    folder.since = commit;
  }
}
