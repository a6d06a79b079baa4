// Runs a plan to its end: processes with engines, a person, and a user who commits on main.

import { Random, SimulatedWorld, type Task } from "@segno/engine/testing";
import type { ExecutionReport } from "@segno/engine";
import { branchRef } from "../../src/git/branch-names.ts";
import { LandingDisk } from "./landing-disk.ts";
import { LandingLedger } from "./landing-ledger.ts";
import { SHARED_FILES, type LandingPlan, type UserCommit } from "./landing-plan.ts";
import { LandingSite } from "./landing-site.ts";
import { SimulatedPerson } from "./simulated-person.ts";
import { CrashChance } from "./simulated-process.ts";
import { withLine } from "./simulated-files.ts";

const ROUND_MS = 1000;
/** More than any plan needs. */
const ROUNDS_MAX = 400;
/** All commits of the user are made by then. */
const USER_MS = 3000;
const TASKS_MAX = 40_000;
const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** A claim does not hold: the run is over. */
export class LandingClaimBroken extends Error {}

export class LandingRun {
  readonly plan: LandingPlan;
  readonly disk: LandingDisk;
  readonly ledger: LandingLedger;
  readonly person: SimulatedPerson;
  readonly sites: readonly LandingSite[];
  readonly reports: Map<string, ExecutionReport> = new Map();
  tasks = 0;
  failure: string | undefined;
  #commitsLeft: number;
  readonly #world: SimulatedWorld;
  readonly #note: (line: string) => void;

  constructor(plan: LandingPlan, crashesMax: number, note: (line: string) => void) {
    this.plan = plan;
    this.#commitsLeft = plan.commitsDuringChecks;
    this.#note = note;
    this.#world = new SimulatedWorld(plan.seed);
    this.#world.onTask = (task, now): void => this.#onTask(task, now);
    this.disk = new LandingDisk(plan, new Random(plan.seed ^ 0xf1a6e));
    this.disk.onCheck = (): void => this.#onCheck();
    this.disk.fail = (claim): void => this.#break(claim);
    this.ledger = new LandingLedger(this.disk, plan.workflows, this.disk.fail);
    this.person = new SimulatedPerson(this.disk, plan);
    const chance = new CrashChance(new Random(plan.seed ^ 0xc4a54), plan.crashPercent, crashesMax);
    const { disk, person } = this;
    this.sites = plan.workflows.map(
      (workflow) => new LandingSite(workflow, { world: this.#world, disk, person, chance, note }),
    );
  }

  get nowMs(): number {
    return this.#world.clock;
  }

  get crashes(): number {
    return this.sites.reduce((sum, { crashes }) => sum + crashes, 0);
  }

  async run(): Promise<void> {
    for (const [index, { atMs, kind }] of this.plan.userCommits.entries())
      this.#world.schedule(atMs, "user", () => this.#commit(kind, index));
    for (const site of this.sites) site.open();
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#advance();
      if (this.#world.elapsedMs > USER_MS && (await this.#hasEnded())) return;
    }
    this.#break(`the workflow does not end: ${this.#describe()}`);
    this.#stop();
  }

  close(): void {
    for (const site of this.sites) site.close();
  }

  async #advance(): Promise<void> {
    const round = { isOver: false };
    this.#world.schedule(ROUND_MS, "end of the round", () => (round.isOver = true));
    while (!round.isOver && (await this.#world.step())) {
      this.ledger.observe();
      this.#stop();
    }
  }

  async #hasEnded(): Promise<boolean> {
    for (const site of this.sites) {
      const report = await this.#status(site);
      if (report === undefined) return false;
      this.reports.set(site.plan.id, report);
      if (!ENDED.has(report.status)) return false;
    }
    return true;
  }

  /** The engine needs tasks of the world to answer, and may crash meanwhile. */
  async #status(site: LandingSite): Promise<ExecutionReport | undefined> {
    let report: ExecutionReport | undefined;
    void site.status().then(
      (found) => (report = found),
      () => undefined,
    );
    await this.#advance();
    return report;
  }

  /** The user commits on main while a check runs. */
  #onCheck(): void {
    if (this.#commitsLeft === 0 || !this.#world.random.percent(30)) return;
    const index = this.plan.userCommits.length + this.#commitsLeft--;
    this.#world.schedule(this.#world.random.below(40), "user", () => this.#commit("own file", index));
  }

  #commit(kind: UserCommit["kind"], index: number): void {
    const { repository, userCommits, userLines, works } = this.disk;
    const { files } = repository.read(repository.resolve(branchRef("main"))!);
    const line = `user-${index}`;
    const paths = {
      "own file": `${line}.txt`,
      "shared file": SHARED_FILES[index % SHARED_FILES.length]!,
      left: `left-${line}.txt`,
    };
    const path = paths[kind];
    const commit = repository.commitOn("main", { [path]: withLine(files.get(path) ?? "", line) }, line);
    userLines.add(line);
    userCommits.add(commit);
    works.add(commit);
  }

  #onTask({ label }: Task, now: number): void {
    this.#note(`${now % 10_000_000} ${label}`);
    if (++this.tasks > TASKS_MAX) this.#break(`more than ${TASKS_MAX} tasks: ${this.#describe()}`);
  }

  #break(claim: string): void {
    this.#note(`BROKEN ${claim}`);
    this.failure ??= claim;
  }

  #stop(): void {
    if (this.failure !== undefined) throw new LandingClaimBroken(this.failure);
  }

  #describe(): string {
    return [...this.reports]
      .map(([id, { status, reason, steps }]) => {
        const open = steps.filter((step) => !["succeeded", "skipped", "failed"].includes(step.status));
        return `${id} is ${status} ${reason ?? ""} (${open.map(({ name, status: at }) => `${name} ${at}`).join(", ")})`;
      })
      .join("; ");
  }
}
