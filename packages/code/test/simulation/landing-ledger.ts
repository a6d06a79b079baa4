// Watches the refs of a repository while workflows land, after every task of the simulation (CODE-5, CODE-6, CODE-9).
//
//   J1. A branch that receives work moves only by a commit of the user or by a landing. A landing moves the branch and
//       creates its marker at the same moment, and a marker never changes.
//   J2. A branch that receives work keeps all that it had.
//   J3. If a workflow has checks, the files that land are files that passed them.
//   J4. No change of a ref makes a commit with work unreachable.
//   J5. An agent works only on a task that was claimed (`simulated-agents.ts`).

import type { RefName } from "../../src/git/branch-names.ts";
import type { LandingDisk } from "./landing-disk.ts";
import type { WorkflowPlan } from "./landing-plan.ts";
import { filesKey } from "./simulated-files.ts";

interface RefMove {
  readonly ref: RefName;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const MARKER = /^refs\/segno\/([^/]+)\/landed\//u;

export class LandingLedger {
  readonly #disk: LandingDisk;
  readonly #plans: readonly WorkflowPlan[];
  readonly #fail: (claim: string) => void;
  #refs: ReadonlyMap<RefName, string>;

  constructor(disk: LandingDisk, plans: readonly WorkflowPlan[], fail: (claim: string) => void) {
    this.#disk = disk;
    this.#plans = plans;
    this.#fail = fail;
    this.#refs = this.#read();
  }

  observe(): void {
    const before = this.#refs;
    this.#refs = this.#read();
    const moves = [...new Set([...before.keys(), ...this.#refs.keys()])]
      .map((ref): RefMove => ({ ref, from: before.get(ref), to: this.#refs.get(ref) }))
      .filter(({ from, to }) => from !== to);
    for (const move of moves) {
      if (MARKER.test(move.ref)) this.#checkMarker(move, moves);
      if (this.#isTarget(move.ref)) this.#checkTarget(move, moves);
      this.#checkKept(move);
    }
  }

  #read(): ReadonlyMap<RefName, string> {
    const { repository } = this.#disk;
    return new Map(repository.refs("refs/").map((ref) => [ref, repository.resolve(ref)!]));
  }

  #isTarget(ref: RefName): boolean {
    return ref === "refs/heads/main" || this.#plans.some(({ id }) => ref === `refs/heads/workflow/${id}`);
  }

  /** J1. */
  #checkMarker({ ref, from, to }: RefMove, moves: readonly RefMove[]): void {
    if (from !== undefined) return this.#fail(`J1 the marker ${ref} changed`);
    if (!moves.some((move) => this.#isTarget(move.ref) && move.to === to))
      this.#fail(`J1 the marker ${ref} was created without its landing`);
  }

  /** J1, J2, J3. */
  #checkTarget({ ref, from, to }: RefMove, moves: readonly RefMove[]): void {
    const { repository, userCommits } = this.#disk;
    if (from === undefined) return;
    if (to === undefined) return this.#fail(`J2 ${ref} was deleted`);
    if (!repository.isAncestor(from, to)) this.#fail(`J2 ${ref} lost commits`);
    if (userCommits.has(to)) return;
    const marker = moves.find((move) => MARKER.test(move.ref) && move.to === to);
    if (marker === undefined) return this.#fail(`J1 ${ref} moved without a marker`);
    this.#checkTested(ref, to, MARKER.exec(marker.ref)![1]!);
  }

  /** J3. */
  #checkTested(target: RefName, commit: string, workflow: string): void {
    const { checks, stepPolicy, workflowPolicy } = this.#plans.find(({ id }) => id === workflow)!;
    const policy = target === "refs/heads/main" ? workflowPolicy : stepPolicy;
    if (checks.length === 0 || policy === "auto") return;
    if (!this.#disk.passed.has(filesKey(this.#disk.repository.read(commit).files)))
      this.#fail(`J3 ${target} received files that passed no check`);
  }

  /** J4. */
  #checkKept({ ref, from }: RefMove): void {
    const { repository, works } = this.#disk;
    if (from === undefined) return;
    const lost = [...works].find((work) => repository.isAncestor(work, from) && !this.isReachable(work));
    if (lost !== undefined) this.#fail(`J4 a change of ${ref} lost the work ${lost.slice(0, 8)}`);
  }

  isReachable(commit: string): boolean {
    return [...this.#refs.values()].some((head) => this.#disk.repository.isAncestor(commit, head));
  }
}
