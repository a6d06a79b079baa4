// The text of a scenario: a ledger of given, when and then.
//
//   given  a retry 1 fallback f; f; b after a, c settled
//   when   start                        then  a queued | b waiting
//   when   ran a fail permanent "boom"  then  a failed | f queued
//                                       then  events step.started, step.failed
//
// A line that starts with `then` belongs to the row above it. What words cannot say comes as an object beside the text.

import type { ActionDefinition, DependencyDefinition, StepDefinition } from "../../src/model/definition.ts";
import { durationMs, stepId } from "../../src/model/units.ts";

export interface Row {
  readonly text: string;
  readonly when: readonly string[];
  readonly claims: readonly string[];
}

export interface Table {
  readonly steps: readonly StepDefinition[];
  readonly rows: readonly Row[];
}

export type StepExtras = Readonly<Record<string, Partial<StepDefinition>>>;

export function parseTable(text: string, extras: StepExtras = {}): Table {
  const steps: StepDefinition[] = [];
  const rows: { text: string; when: readonly string[]; claims: string[] }[] = [];
  for (const line of text.split("\n").map((each) => each.trim().replaceAll(/\s+/gu, " "))) {
    const [, keyword, rest = ""] = /^(given|when|then)\b ?(.*)$/u.exec(line) ?? [];
    if (keyword === "given")
      steps.push(...rest.split(/;/u).flatMap((clause) => (clause.trim() === "" ? [] : parseStep(clause, extras))));
    else if (keyword === "when") {
      const [when = "", then] = rest.split(/(?: |^)then /u);
      rows.push({ text: line, when: words(when), claims: listClaims(then) });
    } else if (keyword === "then") rows.at(-1)!.claims.push(...listClaims(rest));
    else if (line !== "") throw new Error(`Expected given, when or then, found: ${line}`);
  }
  return { steps, rows };
}

const listClaims = (text: string | undefined): string[] =>
  text === undefined ? [] : text.split(" | ").map((claim) => claim.trim());

/** Words, with quoted text, lists and objects kept whole. */
function words(text: string): string[] {
  return text.match(/"[^"]*"|\{.*\}|\[.*\]|\S+/gu) ?? [];
}

const agent: ActionDefinition = { kind: "agent", agent: "work" };

const OPTIONS: Readonly<Record<string, (value: () => string) => Partial<StepDefinition>>> = {
  retry: (value) => ({ retry: { attempts: Number(value()) } }),
  timeout: (value) => ({ timeout: durationMs(Number(value())) }),
  continue: () => ({ onError: "continue" }),
  fallback: (value) => ({ fallback: stepId(value()) }),
  compensate: () => ({ compensate: { action: { kind: "agent", agent: "undo" } } }),
  disabled: () => ({ enabled: false }),
  when: (value) => ({ when: value() }),
  signal: (value) => ({ action: { kind: "wait", on: "signal", signal: value() } }),
  sleep: (value) => ({ action: { kind: "wait", on: "duration", for: durationMs(Number(value())) } }),
  approve: () => ({ action: { kind: "approve" } }),
  barrier: () => ({ action: { kind: "barrier" } }),
  workflow: (value) => ({ action: { kind: "workflow", workflow: value() } }),
  map: (value) => ({
    action: { kind: "map", over: value(), steps: parseTable(`given ${value().replaceAll("+", ";")}`).steps },
  }),
};

const AFTER = / after ((?:[\w-]+(?: settled)?, )*[\w-]+(?: settled)?)/u;

function parseStep(clause: string, extras: StepExtras): StepDefinition {
  const after = AFTER.exec(clause)?.[1];
  const [id = "", ...rest] = words(clause.replace(AFTER, ""));
  const dependsOn = after?.split(", ").map((each): DependencyDefinition => {
    const [step, on] = each.split(" ");
    return { step: stepId(step!), on: on === "settled" ? "settled" : "succeeded" };
  });
  const definition: StepDefinition = {
    id: stepId(id),
    action: agent,
    ...(dependsOn === undefined ? {} : { dependsOn }),
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const option = OPTIONS[word];
    if (option === undefined) throw new Error(`\`${id}\` has an option \`${word}\`, which there is not`);
    Object.assign(
      definition,
      option(() => rest.shift()!.replaceAll('"', "")),
    );
  }
  return { ...definition, ...extras[id] };
}
