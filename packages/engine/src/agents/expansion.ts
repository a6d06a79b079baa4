// A handler returns an expansion to run further steps in its place: they run as children of its step, and the step
// settles with them (STATE-9).

import { toDefinition, type RawStep } from "@segno/contract";
import {
  checkJson,
  formatJsonPath,
  validateExpansion,
  type Failure,
  type JsonObject,
  type Outcome,
  type Problem,
  type TextFilter,
} from "@segno/kernel";
import { frozenCopy } from "../checks/copy-json.ts";
import { notJson, tooLarge } from "../checks/value-failure.ts";
import { maskJson } from "../secrets/mask-json.ts";

/** A symbol identifies an expansion, not its class, because a module may load its own copy of Segno. */
const EXPANSION: symbol = Symbol.for("segno.expansion");

export class Expansion {
  readonly steps: readonly RawStep[];
  readonly result: string | undefined;

  constructor(steps: readonly RawStep[], result: string | undefined) {
    this.steps = steps;
    this.result = result;
    Object.defineProperty(this, EXPANSION, { value: true });
  }
}

export interface ExpandOptions {
  /** The step whose output becomes the output of the expanded step. The default is an object with all outputs by id. */
  readonly result?: string;
}

/** Steps in the format of a contract. They may depend only on each other, and use agents that the engine knows. */
export function expand(steps: readonly RawStep[], { result }: ExpandOptions = {}): Expansion {
  return new Expansion(steps, result);
}

export function isExpansion(value: unknown): value is Expansion {
  return typeof value === "object" && value !== null && EXPANSION in value;
}

/**
 * Steps that are generated at run time can be invalid; the step then fails with the reason. The steps are written to
 * the journal, so the rules for outputs apply to them. They are masked before they are checked: a message about them
 * quotes a part of a text, and a cut could leave half a secret (DATA-9).
 */
export function outcomeOfExpansion(expansion: Expansion, maskText: TextFilter): Outcome {
  const { steps, result = null } = expansion;
  const check = checkJson({ steps, result });
  if (check.kind === "not-json") return toFailedOutcome(notJson(WHAT, check.path, check.found));
  const owned = frozenCopy(check);
  if (owned.kind === "too-large") return toFailedOutcome(tooLarge(WHAT, owned.bytes));
  const made = toDefinition(
    { name: "expansion", steps: (maskJson(owned.json as JsonObject, maskText) as unknown as Expansion).steps },
    validateExpansion,
  );
  if (made.kind === "problems") return toFailedOutcome(invalid(made.problems));
  return { kind: "expanded", steps: made.definition.steps, ...(result === null ? {} : { result }) };
}

const WHAT = "the list of steps that it returned";

function toFailedOutcome(failure: Failure): Outcome {
  return { kind: "failed", failure };
}

/** The failure of a handler that is not a step of a workflow. */
export const EXPANSION_REFUSED: Failure = Object.freeze({
  class: "permanent",
  code: "EXPANSION_INVALID",
  message:
    "only a step of a workflow can return the result of `expand`; a task of an engine or an item of a batch cannot",
});

function invalid(problems: readonly Problem[]): Failure {
  const list = problems.map(({ path, message }) => `${formatJsonPath(path)}: ${message}`).join("; ");
  return { class: "permanent", code: "EXPANSION_INVALID", message: `the steps that it returned cannot run: ${list}` };
}
