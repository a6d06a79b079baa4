// Makes a plan from a program and an optional input. Pure; nothing that a contract names is run (CONTRACT-10).

import {
  isTruthy,
  type CompiledStep,
  type ContentHash,
  type Json,
  type Program,
  type StepDefinition,
  type StepId,
  isInternalId,
  programInside,
} from "@segno/kernel";

import { actionText } from "./action-text.ts";
import { ConditionPredictor, type Prediction } from "./condition-predictor.ts";
import type { CompensationSummary, Plan, PlannedStep, PlanPolicy, PlanVerdict } from "./plan.ts";
import { omitUndefined } from "./omit-undefined.ts";
import { neededSecrets, stepNeeds } from "./step-needs.ts";
import { conditionText, stepText, WrittenSteps } from "./written-steps.ts";

/** The workflow and the input that are planned. */
export interface PlanRequest {
  /** The hash of the definition. */
  readonly hash: ContentHash;
  /** Absent if it is unknown: then conditions on the input stay open. */
  readonly input?: Json;
}

/** Plans a compiled workflow without running it: waves, conditions and needs of its steps. */
export function toPlan(program: Program, { hash, input }: PlanRequest): Plan {
  const { definition } = program;
  const { name, version, description } = definition;
  const stepIdAt = (step: number) => definition.steps[step]!.id;
  const written = WrittenSteps.of(program);
  const verdicts = [...predictVerdicts(program, new ConditionPredictor(program, input))].filter(([step]) =>
    written.includes(step),
  );
  return {
    workflow: name,
    ...omitUndefined({ version, description }),
    hash,
    hasInput: input !== undefined,
    policy: toPolicy(program),
    waves: written.waves.map((wave) => wave.map(stepIdAt)),
    steps: verdicts.map(([index, verdict]) => plannedStep(program, written, index, verdict)),
    counts: countVerdicts(verdicts.map(([, verdict]) => verdict)),
  };
}

function toPolicy({ definition: { onFailure, concurrency, timeout } }: Program): PlanPolicy {
  return omitUndefined({ onFailure, concurrency, timeoutMs: timeout });
}

/** In plan order, so that the dependencies of a step are judged before it; steps without a wave come last. */
function predictVerdicts(
  { graph, order, steps }: Program,
  predictor: ConditionPredictor,
): ReadonlyMap<number, PlanVerdict> {
  const absent = [...steps.keys()].filter((index) => graph.disabled[index] === 1);
  for (const index of absent) predictor.noteSkipped(index);
  const verdicts = new Map<number, PlanVerdict>();
  for (const index of order.steps) {
    const verdict = predictVerdict(steps[index]!, index, verdicts, predictor, steps);
    if (verdict.kind === "skipped") predictor.noteSkipped(index);
    verdicts.set(index, verdict);
  }
  for (const index of absent) verdicts.set(index, absentVerdict(steps[index]!.definition));
  return verdicts;
}

/** The fallback of a disabled step has no wave either, although it is not disabled itself. */
function absentVerdict({ enabled }: StepDefinition): PlanVerdict {
  return { kind: "skipped", reason: enabled === false ? "disabled" : "fallback-unused" };
}

function predictVerdict(
  step: CompiledStep,
  index: number,
  earlier: ReadonlyMap<number, PlanVerdict>,
  predictor: ConditionPredictor,
  steps: readonly CompiledStep[],
): PlanVerdict {
  const own: PlanVerdict =
    step.when === undefined ? { kind: "runs" } : conditionVerdict(predictor.predict(step.when, index));
  if (step.primary === -1) return own;
  if (earlier.get(step.primary)?.kind === "skipped") return { kind: "skipped", reason: "fallback-unused" };
  return own.kind === "skipped" ? own : { kind: "on-failure", of: steps[step.primary]!.definition.id };
}

function conditionVerdict(prediction: Prediction): PlanVerdict {
  if (prediction.kind === "unknown") return { kind: "conditional", reads: prediction.reads };
  if (prediction.kind === "failure") return { kind: "fails", code: prediction.code, message: prediction.message };
  return isTruthy(prediction.value) ? { kind: "runs" } : { kind: "skipped", reason: "condition-false" };
}

function plannedStep(program: Program, written: WrittenSteps, index: number, verdict: PlanVerdict): PlannedStep {
  const step = program.steps[index]!;
  const { id, name, action, output, timeout, onError, fallback, retry } = step.definition;
  return {
    id,
    ...omitUndefined({ name }),
    wave: written.waveOf(index) ?? null,
    kind: action.kind,
    does: stepText(step.definition, program.definition.name),
    ...omitUndefined({ inside: idsInside(step), when: conditionText(step.definition) }),
    verdict,
    needs: stepNeeds(program, index, written),
    ...omitUndefined({
      writes: output?.to,
      timeoutMs: timeout,
      onError,
      fallback,
      compensate: summarizeCompensation(step),
    }),
    ...(retry === undefined ? {} : { retry: omitUndefined({ attempts: retry.attempts, on: retry.on }) }),
  };
}

function idsInside({ work }: CompiledStep): readonly StepId[] | undefined {
  const inside = programInside(work);
  if (inside === undefined) return undefined;
  return [...inside.order.steps].map((step) => inside.definition.steps[step]!.id).filter((id) => !isInternalId(id));
}

function summarizeCompensation({ compensation }: CompiledStep): CompensationSummary | undefined {
  if (compensation === undefined) return undefined;
  const { action } = compensation.definition;
  return { kind: action.kind, does: actionText(action), secrets: neededSecrets(compensation) };
}

function countVerdicts(verdicts: Iterable<PlanVerdict>): Plan["counts"] {
  const counts = { runs: 0, conditional: 0, "on-failure": 0, skipped: 0, fails: 0 };
  for (const { kind } of verdicts) counts[kind]++;
  return counts;
}
