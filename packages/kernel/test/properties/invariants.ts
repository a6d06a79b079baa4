// The invariants of a state that was advanced as far as possible. Each is stated from the definition and the phases alone, without
// the code that maintains it.

import { isTerminalPhase, isTerminalStatus, PHASES } from "../../src/state/phase.ts";
import { hasWork } from "../../src/rules/decide.ts";
import { instanceIndex, localStep, type Region } from "../../src/state/region.ts";
import { hasBegun, findRegion } from "../../src/state/step-position.ts";
import { stepCount, type State } from "../../src/state/state.ts";
import type { SkipReason } from "../../src/journal/event.ts";

/** All invariants that do not hold; empty for a valid state. */
export function violations(state: State): readonly string[] {
  const found: string[] = [];
  const check = (holds: boolean, what: string): void => {
    if (!holds) found.push(what);
  };
  checkCounts(state, check);
  checkRegions(state, check);
  for (let step = 0; step < stepCount(state); step++) checkStep(state, step, check);
  checkExecution(state, check);
  return found;
}

type Check = (holds: boolean, what: string) => void;

function phaseName(state: State, step: number): string {
  return PHASES[state.columns.phase[step]!]!;
}

function checkCounts(state: State, check: Check): void {
  const counts = PHASES.map(() => 0);
  let asked = 0;
  for (let step = 0; step < stepCount(state); step++) {
    counts[state.columns.phase[step]!]!++;
    asked += state.columns.queued[step]!;
  }
  check(
    counts.every((count, phase) => count === state.counts[phase]),
    `counts are ${state.counts.join()}, but ${counts.join()} are true`,
  );
  check(asked === state.queuedCount, `${asked} were asked for, not ${state.queuedCount}`);
  check(state.phaseEvents.length === stepCount(state), "there is a last event for each step");
}

function checkRegions(state: State, check: Check): void {
  state.regions.forEach((region, index) => {
    let unsettled = 0;
    for (let step = region.base; step < region.base + region.size; step++)
      if (!isTerminalPhase(state.columns.phase[step]!)) unsettled++;
    check(unsettled === region.unsettled, `region ${index}: ${unsettled} are unsettled, not ${region.unsettled}`);
    checkWindow(state, region, index, check);
    for (const undone of region.undoes)
      check(!undoes(state, undone), `region ${index} undoes step ${undone}, which is part of an undoing itself`);
    if (region.parent < 0) return;
    const parent = phaseName(state, region.parent);
    const isLatest = state.regions.findLastIndex((each) => each.parent === region.parent) === index;
    const isLive = (parent === "open" || parent === "cancelling") && isLatest && unsettled > 0;
    check(unsettled === 0 || isLive, `region ${index} goes on under step ${region.parent}, which is ${parent}`);
    if (parent === "open") check(!isLatest || unsettled > 0, `step ${region.parent} is open, but its children ended`);
  });
}

/** Whether a step is inside a compensation, at any depth. */
function undoes(state: State, step: number): boolean {
  for (let region = findRegion(state, step); ; region = findRegion(state, region.parent)) {
    if (region.kind === "compensation") return true;
    if (region.parent < 0) return false;
  }
}

/** BEYOND-1: at most `limit` items are running, and no item waits while there is room for it. */
function checkWindow(state: State, { window, base, stride }: Region, index: number, check: Check): void {
  if (window === undefined || isTerminalStatus(state.baseStatus)) return;
  const left = Array.from(window.left, () => 0);
  for (let step = base; step < base + stride * left.length; step++)
    if (!isTerminalPhase(state.columns.phase[step]!)) left[Math.floor((step - base) / stride)]!++;
  check(
    left.join() === window.left.join(),
    `region ${index}: items have ${left.join()} left, not ${window.left.join()}`,
  );
  const active = left.filter((count, item) => count > 0 && item < window.begun).length;
  const waiting = left.filter((count, item) => count > 0 && item >= window.begun).length;
  check(active === window.active && active <= window.limit, `region ${index}: ${active} items are under way`);
  check(waiting === 0 || active === window.limit, `region ${index}: ${waiting} items wait beside ${active}`);
}

function checkStep(state: State, step: number, check: Check): void {
  const phase = phaseName(state, step);
  const { unmet, queued, epoch, attempts } = state.columns;
  const region = findRegion(state, step);
  check(unmet[step]! >= 0, `step ${step}: the count of unmet dependencies is ${unmet[step]}`);
  if (phase === "waiting") {
    check(unmet[step] === countUnmet(state, region, step), `step ${step} waits for ${countUnmet(state, region, step)}`);
    check(!isBroken(state, region, step), `step ${step} waits, though a dependency did not succeed`);
    const isHeld = unmet[step]! > 0 || !mayStart(state, region) || !hasBegun(state, step);
    check(queued[step] === 1 || isHeld, `step ${step} is ready and forgotten`);
  }
  if (queued[step] === 1) {
    check((phase === "waiting" && unmet[step] === 0) || phase === "retrying", `step ${step} is ${phase} and asked for`);
    check(mayStart(state, region), `step ${step} is asked for, but nothing may start`);
    check(phase === "retrying" || hasBegun(state, step), `step ${step} is asked for, but its item has not begun`);
  }
  const last = state.phaseEvents[step];
  if (phase === "running") {
    check(last?.kind === "step.started", `step ${step} runs after ${last?.kind}`);
    check(attempts[step]! > 0 && epoch[step]! >= attempts[step]!, `step ${step} has a wrong attempt or epoch`);
  }
  if (phase === "retrying") check(last?.kind === "step.retried", `step ${step} is in backoff after ${last?.kind}`);
  if (phase === "suspended") check(last?.kind === "step.suspended", `step ${step} is suspended after ${last?.kind}`);
  if (phase === "open" || phase === "running" || phase === "cancelling")
    check(queued[step] === 0, `step ${step} is ${phase} and asked for`);
  if (phase === "open")
    check(
      state.regions.some(({ parent }) => parent === step),
      `step ${step} is open without children`,
    );
  if (isTerminalPhase(state.columns.phase[step]!)) check(!state.calls.has(step), `step ${step} ended with a call`);
  checkWaiting(state, step, phase, check);
}

function checkWaiting(state: State, step: number, phase: string, check: Check): void {
  const names = [...state.signals.waiting].filter(([, steps]) => steps.has(step)).map(([name]) => name);
  const last = state.phaseEvents[step];
  const awaited =
    phase === "suspended" && last?.kind === "step.suspended" && last.wait.kind === "signal" ? [last.wait.signal] : [];
  check(names.join() === awaited.join(), `step ${step} waits for the signals ${names.join()}`);
  check(phase === "suspended" || !state.votes.has(step), `step ${step} is ${phase} and has votes`);
}

/** CANCEL-7, CANCEL-2: a held execution starts nothing; one that is cancelled only undoes. */
function mayStart(state: State, region: Region): boolean {
  if (state.hold !== undefined) return false;
  if (state.baseStatus === "running" || state.baseStatus === "failing") return true;
  return state.baseStatus === "cancelling" && isUndoing(state, region);
}

function isUndoing(state: State, region: Region): boolean {
  return region.kind === "compensation" || (region.parent >= 0 && isUndoing(state, findRegion(state, region.parent)));
}

function checkExecution(state: State, check: Check): void {
  check(!hasWork(state), "something is left to decide");
  if (!isTerminalStatus(state.baseStatus)) return;
  check(state.hold === undefined, "it ended, but is held");
  check(state.queuedCount === 0, "it ended, but something is asked for");
  if (state.startedAt === undefined && state.baseStatus === "failed") return;
  for (let step = 0; step < stepCount(state); step++)
    check(isTerminalPhase(state.columns.phase[step]!), `it ended, but step ${step} is ${phaseName(state, step)}`);
}

/** The end of a step as its dependants see it: a failed primary ends with its fallback (STATE-8). */
export function findIndex(state: State, region: Region, step: number): "open" | "good" | "bad" {
  const phase = phaseName(state, step);
  const local = localStep(region, step);
  switch (phase) {
    case "succeeded":
      return "good";
    case "cancelled":
      return "bad";
    case "skipped": {
      const last = state.phaseEvents[step];
      const reason = last?.kind === "step.skipped" || last?.kind === "steps.skipped" ? last.reason : undefined;
      return region.program.graph.disabled[local] === 1 || (reason !== undefined && satisfies(reason)) ? "good" : "bad";
    }
    case "failed": {
      const { fallback } = region.program.definition.steps[local]!;
      const spare = fallback === undefined ? undefined : region.program.graph.indexById.get(fallback);
      if (spare === undefined || region.program.graph.disabled[spare] === 1) return "bad";
      return findIndex(state, region, step - local + spare);
    }
    default:
      return "open";
  }
}

function satisfies(reason: SkipReason): boolean {
  return reason.kind === "condition" || reason.kind === "skipped-by-handler";
}

type Edge = readonly [dependency: number, on: "succeeded" | "settled" | "fallback"];

/** The enabled dependencies of a step, from its definition. */
function listEdges(region: Region, step: number): readonly Edge[] {
  const local = localStep(region, step);
  const first = region.base + instanceIndex(region, step) * region.stride;
  if (region.kind === "compensation") return local === 0 ? [] : [[step - 1, "settled"]];
  const { graph, definition } = region.program;
  const edges = new Map<number, Edge>();
  for (const { step: id, on } of definition.steps[local]!.dependsOn ?? []) {
    const dependency = graph.indexById.get(id)!;
    if (edges.get(dependency)?.[1] !== "succeeded") edges.set(dependency, [first + dependency, on]);
  }
  definition.steps.forEach((primary, index) => {
    if (primary.fallback === definition.steps[local]!.id) edges.set(index, [first + index, "fallback"]);
  });
  return [...edges].filter(([dependency]) => graph.disabled[dependency] === 0).map(([, edge]) => edge);
}

function countUnmet(state: State, region: Region, step: number): number {
  return listEdges(region, step).filter(([dependency, on]) => {
    if (on === "fallback") return phaseName(state, dependency) !== "failed";
    const place = findIndex(state, region, dependency);
    return on === "settled" ? place === "open" : place !== "good";
  }).length;
}

function isBroken(state: State, region: Region, step: number): boolean {
  return listEdges(region, step).some(([dependency, on]) => {
    const place = findIndex(state, region, dependency);
    if (on === "fallback") return place !== "open" && phaseName(state, dependency) !== "failed";
    return on === "succeeded" && place === "bad";
  });
}
