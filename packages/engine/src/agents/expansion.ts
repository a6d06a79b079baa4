// What a handler returns to have further steps run in its place: its step opens, they run inside it, and it settles with
// them (STATE-9).

import { toDefinition, type StepDocument } from "@segno/contract";
import { checkJson, formatJsonPath, type Failure, type Outcome, type Problem, validateExpansion } from "@segno/kernel";
import { ownJson } from "../checks/copy-json.ts";
import { notJson, tooLarge } from "../checks/value-failure.ts";

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

/**
 * Whoever makes steps at run time makes mistakes at run time: then the step has failed, and says why. The steps are written
 * into the journal, so what holds for outputs holds for them.
 */
export function outcomeOfExpansion(expansion: Expansion): Outcome {
  const { steps, result = null } = expansion;
  const check = checkJson({ steps, result });
  if (check.kind === "not-json") return toFailedOutcome(notJson(WHAT, check.path, check.found));
  const owned = ownJson(check);
  if (owned.kind === "too-large") return toFailedOutcome(tooLarge(WHAT, owned.bytes));
  const made = toDefinition(
    { name: "expansion", steps: (owned.json as unknown as Expansion).steps },
    validateExpansion,
  );
  if (made.kind === "problems") return toFailedOutcome(invalid(made.problems));
  return { kind: "expanded", steps: made.definition.steps, ...(result === null ? {} : { result }) };
}

const WHAT = "the list of steps that it returned";

function toFailedOutcome(failure: Failure): Outcome {
  return { kind: "failed", failure };
}

/** For what is no step of a workflow. */
export const EXPANSION_REFUSED: Failure = Object.freeze({
  class: "permanent",
  code: "EXPANSION_INVALID",
  message:
    "what `expand` gives is for steps of a workflow; a task of an engine or an item of a batch cannot open into steps",
});

function invalid(problems: readonly Problem[]): Failure {
  const list = problems.map(({ path, message }) => `${formatJsonPath(path)}: ${message}`).join("; ");
  return { class: "permanent", code: "EXPANSION_INVALID", message: `the steps that it returned cannot run: ${list}` };
}
