// The lines below a step in a plan: why it may not run, what it needs, and its policies.

import { durationText } from "./duration-text.ts";
import type { NeededStep, PlannedStep, PlannedSkipReason } from "./plan.ts";

export interface PlanDetail {
  readonly items: readonly string[];
  readonly tone: "quiet" | "caution" | "bad";
}

export function stepDetails(step: PlannedStep): readonly PlanDetail[] {
  const details: PlanDetail[] = [
    ...verdictDetails(step),
    { items: [...needItems(step), ...treatmentItems(step)], tone: "quiet" },
    { items: eachItems(step), tone: "quiet" },
    { items: compensationItems(step), tone: "quiet" },
  ];
  return details.filter(({ items }) => items.length > 0);
}

const SKIP_REASONS: Readonly<Record<PlannedSkipReason, string>> = {
  disabled: "skipped: disabled",
  "condition-false": "skipped: condition is false",
  "fallback-unused": "skipped: its primary step does not run",
};

function verdictDetails({ verdict, when }: PlannedStep): readonly PlanDetail[] {
  const condition = when === undefined ? [] : [`if ${oneLine(when)}`];
  switch (verdict.kind) {
    case "runs":
      return [{ items: condition.map((text) => `${text}: true`), tone: "quiet" }];
    case "conditional":
      return [{ items: condition, tone: "caution" }];
    case "on-failure":
      return [{ items: [`only if ${verdict.of} fails`, ...condition], tone: "caution" }];
    case "skipped":
      return [
        {
          items: [SKIP_REASONS[verdict.reason], ...(verdict.reason === "condition-false" ? condition : [])],
          tone: "caution",
        },
      ];
    case "fails":
      return [{ items: [`would fail: ${verdict.message}`], tone: "bad" }];
  }
}

function needItems({ needs, name, inside }: PlannedStep): string[] {
  return [
    ...(name === undefined ? [] : [`“${oneLine(name)}”`]),
    ...(inside === undefined ? [] : [`each: ${inside.join(", ")}`]),
    ...(needs.steps.length === 0 ? [] : [`after ${needs.steps.map(neededText).join(", ")}`]),
    ...listDetail(
      "uses",
      Object.entries(needs.resources).map(([resource, amount]) => `${amount} ${resource}`),
    ),
    ...listDetail(needs.secrets.length === 1 ? "secret" : "secrets", needs.secrets),
  ];
}

function neededText({ step, on }: NeededStep): string {
  return on === "settled" ? `${step} (settled)` : step;
}

function eachItems({ kind, each = {} }: PlannedStep): string[] {
  const { concurrency, tolerance } = each;
  const attempts = attemptItems(each);
  return [
    ...(concurrency === undefined ? [] : [`at most ${count(concurrency, "item")} at once`]),
    ...(tolerance === undefined ? [] : [`${toleranceText(tolerance)} may fail`]),
    ...(attempts.length === 0 ? [] : [`each ${kind === "map" ? "item" : "iteration"}: ${attempts.join(", ")}`]),
  ];
}

function toleranceText(tolerance: number | string): string {
  return typeof tolerance === "number" ? count(tolerance, "item") : `${tolerance} of the items`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function attemptItems({ retry, timeoutMs }: Pick<PlannedStep, "retry" | "timeoutMs">): string[] {
  return [
    ...(retry?.attempts === undefined ? [] : [count(retry.attempts, "attempt")]),
    ...(retry?.on === undefined ? [] : [`retried on ${retry.on.join(", ")}`]),
    ...(timeoutMs === undefined ? [] : [`timeout ${durationText(timeoutMs)}`]),
  ];
}

function treatmentItems({ onError, fallback, writes, ...step }: PlannedStep): string[] {
  return [
    ...attemptItems(step),
    ...(onError === undefined ? [] : [`on error ${onError}`]),
    ...(fallback === undefined ? [] : [`fallback ${fallback}`]),
    ...(writes === undefined ? [] : [`writes ${writes}`]),
  ];
}

function compensationItems({ compensate }: PlannedStep): string[] {
  if (compensate === undefined) return [];
  return [
    `undo by ${compensate.kind} ${compensate.does}`,
    ...listDetail(compensate.secrets.length === 1 ? "secret" : "secrets", compensate.secrets),
  ];
}

function listDetail(word: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${word} ${items.join(", ")}`];
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/gu, " ");
}
