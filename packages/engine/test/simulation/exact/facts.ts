// Converts the events of a journal into the facts that the reference model predicts.

import type { Event } from "@segno/kernel";

export function readFacts(
  event: Event,
  atMs: number,
  nameOf: (step: number) => string,
  startMs: number,
): readonly string[] {
  return readLines(event, nameOf, (at) => (at === undefined ? "-" : String(at - startMs))).map(
    (line) => `${atMs} ${line}`,
  );
}

type StepRange = readonly [from: number, to: number];
type NameOf = (step: number) => string;
type TimeOf = (at: number | undefined) => string;

function readLines(event: Event, nameOf: NameOf, timeOf: TimeOf): readonly string[] {
  switch (event.kind) {
    case "steps.skipped":
      return named(event.steps, nameOf, (name) => `skipped ${name} ${event.reason.kind}`);
    case "steps.cancelled":
      return named(event.steps, nameOf, (name) => `cancelled ${name} unstarted`);
    case "steps.cancelling":
      return named(event.steps, nameOf, (name) => `stopping ${name} until ${timeOf(event.forceAt)}`);
    case "signal.received":
      return [`signal ${event.id}`];
    case "signal.refused":
      return [`refused ${event.id} ${nameOf(event.step)}`];
    case "approval.voted":
      return [`vote ${nameOf(event.step)} ${event.id}`];
    default:
      return event.kind.startsWith("step.") ? stepLines(event, nameOf, timeOf) : executionLines(event, nameOf);
  }
}

function executionLines(event: Event, nameOf: NameOf): readonly string[] {
  switch (event.kind) {
    case "execution.created":
    case "execution.validating":
      return [];
    case "execution.cancelling":
      return [`cancelling ${event.mode} ${event.grace}`];
    case "execution.compensating":
      return [`undoing ${event.steps.map(nameOf).join(",")}`];
    case "execution.failed":
    case "execution.cancelled":
      return [`${event.kind.slice("execution.".length)} ${(event.notUndone ?? []).map(nameOf).join(",")}`];
    case "execution.completed":
      return ["completed "];
    default:
      return [event.kind.slice("execution.".length)];
  }
}

function stepLines(event: Event, nameOf: NameOf, timeOf: TimeOf): readonly string[] {
  switch (event.kind) {
    case "step.started":
      return [`attempt ${event.attempt} of ${nameOf(event.step)} until ${timeOf(event.deadline)}`];
    case "step.completed":
      return [`completed ${nameOf(event.step)}${event.signal === undefined ? "" : ` by ${event.signal}`}`];
    case "step.retried":
      return [`retried ${nameOf(event.step)} ${event.failure.class} until ${timeOf(event.dueAt)}`];
    case "step.failed":
      return [`failed ${nameOf(event.step)} ${event.failure.class}`];
    case "step.skipped":
      return [`skipped ${nameOf(event.step)} ${event.reason.kind}`];
    case "step.cancelled":
      return [`cancelled ${nameOf(event.step)} ${event.ended}`];
    case "step.overdue":
      return [`overdue ${nameOf(event.step)} until ${timeOf(event.forceAt)}`];
    case "step.failing":
      return [`scope failing ${nameOf(event.step)}`];
    case "step.suspended":
      return [
        `waits ${nameOf(event.step)} until ${timeOf(event.wait.kind === "timer" ? event.wait.dueAt : event.wait.expiresAt)}`,
      ];
    case "step.expanded":
      return [
        `opened ${nameOf(event.step)} ${event.children.kind === "items" ? event.children.count : 1} until ${timeOf(event.deadline)}`,
      ];
    default:
      return [event.kind];
  }
}

function named(ranges: readonly StepRange[], nameOf: NameOf, line: (name: string) => string): readonly string[] {
  return ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, offset) => line(nameOf(from + offset))),
  );
}
