// Making a plan: a program and perhaps an input in, a plan out. Pure; nothing that a contract names is run (CONTRACT-10).

import {
  isTruthy,
  waveCount,
  waveSteps,
  type CompiledStep,
  type ContentHash,
  type Json,
  type Program,
  type StepDefinition,
  type StepId,
} from "@segno/kernel";

import { actionText } from "./action-text.ts";
import { Foresight, type Foreseen } from "./foresight.ts";
import type { CompensationSummary, Plan, PlannedStep, PlanPolicy, Verdict } from "./plan.ts";
import { present } from "./present.ts";
import { neededSecrets, stepNeeds } from "./step-needs.ts";

export interface PlanRequest {
  readonly hash: ContentHash;
  /** Absent when it is not known yet: conditions on it stay open. */
  readonly input?: Json;
}

export function planOf(program: Program, { hash, input }: PlanRequest): Plan {
  const { definition, order } = program;
  const { name, version, description } = definition;
  const idOf = (step: number) => definition.steps[step]!.id;
  const waves = Array.from({ length: waveCount(order) }, (_, wave) => [...waveSteps(order, wave)].map(idOf));
  const verdicts = verdictsOf(program, new Foresight(program, input));
  return {
    workflow: name,
    ...present({ version, description }),
    hash,
    hasInput: input !== undefined,
    policy: policyOf(program),
    waves,
    steps: [...verdicts].map(([index, verdict]) => plannedStep(program, index, verdict)),
    counts: countsOf(verdicts.values()),
  };
}

function policyOf({ definition: { onFailure, concurrency, timeout } }: Program): PlanPolicy {
  return present({ onFailure, concurrency, timeoutMs: timeout });
}

/** In plan order, so that what a step stands on is judged before it; steps in no wave come last. */
function verdictsOf({ graph, order, steps }: Program, foresight: Foresight): ReadonlyMap<number, Verdict> {
  const absent = [...steps.keys()].filter((index) => graph.disabled[index] === 1);
  for (const index of absent) foresight.noteSkipped(index);
  const verdicts = new Map<number, Verdict>();
  for (const index of order.steps) {
    const verdict = verdictOf(steps[index]!, index, verdicts, foresight, steps);
    if (verdict.kind === "skipped") foresight.noteSkipped(index);
    verdicts.set(index, verdict);
  }
  for (const index of absent) verdicts.set(index, absentVerdict(steps[index]!.definition));
  return verdicts;
}

/** The fallback of a disabled step is in no wave either, though nobody disabled it. */
function absentVerdict({ enabled }: StepDefinition): Verdict {
  return { kind: "skipped", reason: enabled === false ? "disabled" : "fallback-unused" };
}

function verdictOf(
  step: CompiledStep,
  index: number,
  earlier: ReadonlyMap<number, Verdict>,
  foresight: Foresight,
  steps: readonly CompiledStep[],
): Verdict {
  const own: Verdict =
    step.when === undefined ? { kind: "runs" } : conditionVerdict(foresight.foresee(step.when, index));
  if (step.primary === -1) return own;
  if (earlier.get(step.primary)?.kind === "skipped") return { kind: "skipped", reason: "fallback-unused" };
  return own.kind === "skipped" ? own : { kind: "on-failure", of: steps[step.primary]!.definition.id };
}

function conditionVerdict(foreseen: Foreseen): Verdict {
  if (foreseen.kind === "unknown") return { kind: "conditional", reads: foreseen.reads };
  if (foreseen.kind === "failure") return { kind: "fails", code: foreseen.code, message: foreseen.message };
  return isTruthy(foreseen.value) ? { kind: "runs" } : { kind: "skipped", reason: "condition-false" };
}

function plannedStep(program: Program, index: number, verdict: Verdict): PlannedStep {
  const step = program.steps[index]!;
  const { id, name, action, when, output, timeout, onError, fallback, retry } = step.definition;
  const wave = program.order.waveOf[index]!;
  return {
    id,
    ...present({ name }),
    wave: wave < 0 ? null : wave,
    kind: action.kind,
    does: actionText(action),
    ...present({ inside: idsInside(step), when }),
    verdict,
    needs: stepNeeds(program, index),
    ...present({ writes: output?.to, timeoutMs: timeout, onError, fallback, compensate: compensationOf(step) }),
    ...(retry === undefined ? {} : { retry: present({ attempts: retry.attempts, on: retry.on }) }),
  };
}

function idsInside({ work }: CompiledStep): readonly StepId[] | undefined {
  if (work.kind !== "items") return undefined;
  const { order, definition } = work.template;
  return [...order.steps].map((step) => definition.steps[step]!.id);
}

function compensationOf({ compensation }: CompiledStep): CompensationSummary | undefined {
  if (compensation === undefined) return undefined;
  const { action } = compensation.definition;
  return { kind: action.kind, does: actionText(action), secrets: neededSecrets(compensation) };
}

function countsOf(verdicts: Iterable<Verdict>): Plan["counts"] {
  const counts = { runs: 0, conditional: 0, "on-failure": 0, skipped: 0, fails: 0 };
  for (const { kind } of verdicts) counts[kind]++;
  return counts;
}
