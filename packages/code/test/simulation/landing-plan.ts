// The plan of one run: workflows, the troubles of their tasks, and what people do. A seed decides it.
//
//   LP1. If the person repairs everything, every task is completed.
//   LP2. Otherwise the plan alone decides which tasks are completed if `isComparable` is set: no two changes meet, so it
//        does not matter which task is merged first.

import { Random } from "@segno/engine/testing";
import type { MergePolicyName } from "../../src/model/merge-policy-name.ts";

/** How a task makes its merge fail; `idle` changes nothing. */
export type TaskTrouble = "none" | "shared" | "bad" | "left" | "right" | "idle";

export interface TaskPlan {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly trouble: TaskTrouble;
  /** The file of a `shared` task. */
  readonly sharedFile: string;
  readonly firstTry: "works" | "fails" | "rate-limited";
  /** The number of the first fix that repairs the task's own fault. */
  readonly helpsAt: number;
}

export interface WorkflowPlan {
  readonly id: string;
  readonly tasks: readonly TaskPlan[];
  readonly stepPolicy: MergePolicyName;
  readonly workflowPolicy: MergePolicyName;
  readonly checks: readonly string[];
  readonly fixesMax: number;
  /** The number of the first fix that repairs a conflict, or two changes that fail together. */
  readonly helpsAt: number;
  /** What an agent does that does not repair a merge. */
  readonly uselessFix: "changes nothing" | "changes another file" | "fails differently";
}

export interface UserCommit {
  readonly atMs: number;
  readonly kind: "own file" | "shared file" | "left";
}

export interface LandingPlan {
  readonly seed: number;
  readonly workflows: readonly WorkflowPlan[];
  readonly person: "repairs" | "rejects";
  readonly userCommits: readonly UserCommit[];
  /** The number of further commits of the user on main, while a check runs. */
  readonly commitsDuringChecks: number;
  readonly isBaseBroken: boolean;
  readonly hasFlakes: boolean;
  readonly crashesMax: number;
  readonly crashPercent: number;
  readonly isComparable: boolean;
  /** The resume of a workflow before which the person repairs the base branch. */
  readonly baseRepairedAt: number;
}

export const SHARED_FILES = ["shared-0.txt", "shared-1.txt"] as const;

const POLICIES: readonly MergePolicyName[] = [
  "auto",
  "checks",
  "checks",
  "checks",
  "manual",
  "pr_and_notify",
  "pr_and_merge",
];
const TROUBLES: readonly TaskTrouble[] = ["none", "shared", "shared", "bad", "left", "right", "idle"];
/** Troubles that no other task shares. */
const APART: readonly TaskTrouble[] = ["none", "bad", "bad", "idle"];

export function makeLandingPlan(seed: number): LandingPlan {
  const random = new Random(seed ^ 0x1a4d);
  const isComparable = random.percent(25);
  const troubles = isComparable ? APART : TROUBLES;
  const workflows = ["one", ...(random.percent(40) ? ["two"] : [])].map((id) => makeWorkflow(id, random, troubles));
  const person = random.pick(["repairs", "repairs", "rejects"] as const);
  const userCommits = makeUserCommits(random).filter(({ kind }) => !isComparable || kind === "own file");
  const hasChecks = workflows.every(({ checks }) => checks.length > 0);
  return {
    seed,
    workflows,
    person,
    userCommits,
    commitsDuringChecks: random.pick([0, 0, 3]),
    isBaseBroken: hasChecks && random.percent(15),
    hasFlakes: random.percent(30),
    crashesMax: random.pick([0, 1, 2, 3, 5]),
    crashPercent: random.pick([0.5, 1, 2, 4]),
    isComparable,
    baseRepairedAt: random.pick([1, 1, 2, 12]),
  };
}

function makeWorkflow(id: string, random: Random, from: readonly TaskTrouble[]): WorkflowPlan {
  const hasChecks = random.percent(75);
  const names = ["a", "b", "c", "d", "e", "f"].slice(0, random.between(2, 6));
  const troubles = from.filter((trouble) => hasChecks || !["bad", "left", "right"].includes(trouble));
  return {
    id,
    tasks: names.map((name, index) => ({
      id: name,
      dependsOn: names.slice(0, index).filter(() => random.percent(25)),
      trouble: random.pick(troubles),
      sharedFile: random.pick(SHARED_FILES),
      firstTry: random.pick(["works", "works", "works", "works", "fails", "rate-limited"]),
      helpsAt: random.pick([1, 1, 2, 9]),
    })),
    stepPolicy: random.pick(POLICIES),
    workflowPolicy: random.pick(POLICIES),
    checks: hasChecks ? ["verify"] : [],
    fixesMax: random.pick([1, 2, 2, 2]),
    helpsAt: random.pick([1, 1, 1, 2, 9]),
    uselessFix: random.pick(["changes nothing", "changes another file", "fails differently"]),
  };
}

function makeUserCommits(random: Random): readonly UserCommit[] {
  return Array.from({ length: random.pick([0, 1, 2, 4]) }, () => ({
    atMs: random.below(random.pick([500, 3000])),
    kind: random.pick(["own file", "own file", "shared file", "left"]),
  }));
}
