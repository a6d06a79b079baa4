// Metrics and traces of attempts: called once when an attempt starts, and once when it ends or is given up.

import { compiledStep, type Outcome } from "@segno/kernel";
import type { CountedOutcome, AttemptMetrics } from "../metrics/attempt-metrics.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { EndedHappening } from "./attempt-happenings.ts";
import type { StepAttempt } from "./step-attempt.ts";

export interface AttemptTelemetryPorts {
  readonly metrics: AttemptMetrics;
  readonly tracing: Tracing;
}

export class AttemptTelemetry {
  readonly #ports: AttemptTelemetryPorts;

  constructor(ports: AttemptTelemetryPorts) {
    this.#ports = ports;
  }

  /** The attempt is passed to its runner. */
  onStarted(attempt: StepAttempt): void {
    const { tracing } = this.#ports;
    const { tracer } = tracing;
    if (tracer === undefined) return;
    const { liveExecution, execution: executionId, workflow, step } = attempt;
    const { state } = liveExecution;
    const { seed = 0, correlationId = executionId, traceparent } = state.created ?? {};
    const definedStep = compiledStep(state, attempt.stepIndex).definition.id;
    const described = { executionId, seed, correlationId, workflow, definedStep, step, attempt: attempt.attempt };
    attempt.span = tracing.startSpan(tracer, described, traceparent);
  }

  /** `ended` is undefined for an attempt that was force-stopped, was given up or never started. */
  onEnded(attempt: StepAttempt, ended: EndedHappening | undefined): void {
    if (ended === undefined && attempt.handle === undefined) return;
    const outcome = ended?.outcome;
    const { overdue } = attempt.liveExecution.state;
    const isOverdue = overdue.size > 0 && overdue.has(attempt.stepIndex);
    const durationMs = ended === undefined ? undefined : ended.at - attempt.startedAt;
    this.#ports.metrics.onEnded(isOverdue ? "timeout" : attemptEnd(outcome), durationMs);
    attempt.span?.end({ outcome, isOverdue });
  }
}

function attemptEnd(outcome: Outcome | undefined): CountedOutcome {
  if (outcome === undefined) return "lost";
  if (outcome.kind !== "failed") return outcome.kind;
  const { class: failureClass } = outcome.failure;
  return failureClass === "timeout" || failureClass === "cancelled" ? failureClass : "failed";
}
