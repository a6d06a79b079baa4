// The actions of a user in an exact run, with their times.

import type { Definition } from "@segno/kernel";
import type { Random } from "../../../src/testing/random.ts";
import { SIGNALS, VOTERS } from "./definitions.ts";
import { SLICE_MS } from "./times.ts";

export type Deed =
  | {
      readonly kind: "start";
      readonly atMs: number;
      readonly id: string;
      readonly workflow: string;
      readonly input: string;
      readonly priority: number;
      readonly key?: string;
    }
  | {
      readonly kind: "signal";
      readonly atMs: number;
      readonly id: string;
      readonly name: string;
      readonly signal: string;
      readonly payload: number | string;
    }
  | {
      readonly kind: "vote";
      readonly atMs: number;
      readonly id: string;
      readonly step: string;
      readonly vote: string;
      readonly by: string;
      readonly verdict: "approve" | "reject" | "changes";
    }
  | {
      readonly kind: "cancel";
      readonly atMs: number;
      readonly id: string;
      readonly mode: "abort" | "drain";
      readonly compensate: boolean;
      readonly graceMs?: number;
    }
  | { readonly kind: "pause" | "resume"; readonly atMs: number; readonly id: string };

export type StartDeed = Deed & { readonly kind: "start" };

const KEYS = ["key-a", "key-b"];
/** All actions happen within ten minutes. */
const SLICES = 75_000;

export function planDeeds(chance: Random, workflows: readonly Definition[]): readonly Deed[] {
  const main = workflows.filter(({ name }) => name !== "sub").map(({ name }) => name);
  const steps = workflows.flatMap(listApprovals);
  const deeds: Deed[] = [];
  const starts = chance.between(1, 4);
  for (let index = 0; index < starts; index++) deeds.push(someStart(chance, index, main));
  for (let count = chance.below(14); count > 0; count--) deeds.push(someDeed(chance, starts, steps));
  return deeds.toSorted((left, right) => left.atMs - right.atMs);
}

/** More signals and votes, at times at which a step may wait for them. It uses its own random generator. */
export function planMessages(chance: Random, workflows: readonly Definition[]): readonly Deed[] {
  const main = workflows.filter(({ name }) => name !== "sub");
  const approvals = main.flatMap(listApprovals);
  const hasSignals = main.some(({ steps }) =>
    steps.some(({ action }) => action.kind === "wait" && action.on === "signal"),
  );
  const deeds: Deed[] = [];
  for (let count = hasSignals ? chance.between(2, 8) : 0; count > 0; count--) deeds.push(someSignal(chance));
  for (let count = approvals.length > 0 ? chance.between(6, 16) : 0; count > 0; count--)
    deeds.push(someVote(chance, approvals));
  return deeds;
}

function someMoment(chance: Random): Pick<Deed, "atMs" | "id"> {
  return { atMs: SLICE_MS * chance.below(30_000), id: `x${chance.below(3)}` };
}

function someSignal(chance: Random): Deed {
  const [name, payload] = [chance.pick(SIGNALS), chance.pick([1, "text"])];
  return { kind: "signal", ...someMoment(chance), name, signal: `m${chance.below(12)}`, payload };
}

function someVote(chance: Random, approvals: readonly string[]): Deed {
  const verdict = chance.pick(["approve", "approve", "approve", "approve", "reject", "changes"] as const);
  const [step, by] = [chance.pick(approvals), chance.pick(VOTERS)];
  return { kind: "vote", ...someMoment(chance), step, by, vote: `w${chance.below(12)}`, verdict };
}

function someTime(chance: Random): number {
  return SLICE_MS * chance.below(SLICES);
}

function someStart(chance: Random, index: number, main: readonly string[]): Deed {
  return {
    kind: "start",
    // Mostly soon after the first, so that executions compete for resources.
    atMs: index === 0 ? 0 : chance.percent(80) ? SLICE_MS * chance.below(4000) : someTime(chance),
    id: `x${index}`,
    workflow: chance.pick(main),
    input: chance.pick(["one", "one", "two"]),
    priority: chance.pick([0, 0, 0, 2, -2]),
    ...(chance.percent(40) ? { key: chance.pick(KEYS) } : {}),
  };
}

function someDeed(chance: Random, starts: number, steps: readonly string[]): Deed {
  const atMs = someTime(chance);
  const id = `x${chance.below(starts)}`;
  const kind = chance.below(100);
  if (kind < 40)
    return {
      kind: "signal",
      atMs,
      id,
      name: chance.pick(SIGNALS),
      signal: `n${chance.below(8)}`,
      payload: chance.pick([1, "text"]),
    };
  if (kind < 70 && steps.length > 0)
    return {
      kind: "vote",
      atMs,
      id,
      step: chance.pick(steps),
      vote: `v${chance.below(8)}`,
      by: chance.pick(VOTERS),
      verdict: chance.pick(["approve", "approve", "approve", "reject", "changes"]),
    };
  if (kind < 80)
    return {
      kind: "cancel",
      atMs,
      id,
      mode: chance.pick(["abort", "drain"]),
      compensate: chance.percent(60),
      ...(chance.percent(40) ? { graceMs: chance.pick([0, 4000]) } : {}),
    };
  return { kind: chance.pick(["pause", "resume"]), atMs, id };
}

/** The names of approval steps of the workflow itself. */
function listApprovals({ steps }: Definition): readonly string[] {
  return steps.filter(({ action }) => action.kind === "approve").map(({ id }) => id);
}
