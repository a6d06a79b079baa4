// What a handler returns to have further steps run in its place: its step opens, they run inside it, and it settles with
// them (STATE-9).

import { definitionOf, type StepDocument } from "@segno/contract";
import { formatJsonPath, type Failure, type Outcome, type Problem } from "@segno/kernel";

/** By this it is known, and not by its class: a module may have brought a Segno of its own. */
const EXPANSION: symbol = Symbol.for("segno.expansion");

export class Expansion {
  readonly steps: readonly StepDocument[];
  readonly result: string | undefined;

  constructor(steps: readonly StepDocument[], result: string | undefined) {
    this.steps = steps;
    this.result = result;
    Object.defineProperty(this, EXPANSION, { value: true });
  }
}

export interface ExpandOptions {
  /** The step whose output is that of the whole; without it that is an object of all outputs by their ids. */
  readonly result?: string;
}

/** Steps as a contract has them. They depend on each other only, and their agents are those that the engine knows. */
export function expand(steps: readonly StepDocument[], { result }: ExpandOptions = {}): Expansion {
  return new Expansion(steps, result);
}

export function isExpansion(value: unknown): value is Expansion {
  return typeof value === "object" && value !== null && EXPANSION in value;
}

/** Whoever makes steps at run time makes mistakes at run time: then the step has failed, and says why. */
export function outcomeOfExpansion({ steps, result }: Expansion): Outcome {
  const made = definitionOf(structuredClone({ name: "expansion", steps }));
  if (made.kind === "problems") return { kind: "failed", failure: invalid(made.problems) };
  return { kind: "expanded", steps: made.definition.steps, ...(result === undefined ? {} : { result }) };
}

function invalid(problems: readonly Problem[]): Failure {
  const list = problems.map(({ path, message }) => `${formatJsonPath(path)}: ${message}`).join("; ");
  return { class: "permanent", code: "EXPANSION_INVALID", message: `the steps that it returned cannot run: ${list}` };
}
