// Predicts the result of a condition before anything runs.
// Known values are the input, if it was given, variables that no step writes before the reader starts, and steps that are
// skipped in any case. An expression that reads an unknown value is unknown, unless the known part of an `&&` or `||` decides
// it alone. All conditions of a plan share one limit on their work; beyond the limit all are unknown, because planning an
// untrusted contract has to end soon (CONTRACT-9).

import {
  compute,
  createFuel,
  isTruthy,
  overlaps,
  listReferences,
  type CompiledCondition,
  type Expression,
  type Json,
  type JsonObject,
  type Program,
  type Reference,
} from "@segno/kernel";

export type Prediction =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "failure"; readonly code: string; readonly message: string }
  | { readonly kind: "unknown"; readonly reads: readonly string[] };

const SKIPPED_VIEW: Json = Object.freeze({ status: "skipped", output: null, error: null, attempts: 0 });

/** The fuel of a hundred conditions that each use all of theirs. */
const NODES_MAX = 10_000_000;

export class ConditionPredictor {
  readonly #program: Program;
  readonly #context: JsonObject;
  readonly #skipped = new Set<number>();
  readonly #steps: Record<string, Json> = {};
  #nodesLeft = NODES_MAX;

  constructor(program: Program, input: Json | undefined) {
    this.#program = program;
    const variables = program.definition.variables ?? {};
    this.#context = { variables, steps: this.#steps, ...(input === undefined ? {} : { input }) };
  }

  /** A step that will not run writes nothing, and its dependants see null (STATE-5). */
  noteSkipped(step: number): void {
    this.#skipped.add(step);
    this.#steps[this.#program.definition.steps[step]!.id] = SKIPPED_VIEW;
  }

  predict({ expression }: CompiledCondition, reader: number): Prediction {
    const references = listReferences(expression);
    if (this.#nodesLeft <= 0) return { kind: "unknown", reads: references.map(referenceText) };
    const unknown = references.filter((reference) => !this.#isKnown(reference, reader));
    if (unknown.length === 0) return this.#evaluate(expression);
    return this.#predictParts(expression, reader) ?? { kind: "unknown", reads: unknown.map(referenceText) };
  }

  #evaluate(expression: Expression): Prediction {
    const fuel = createFuel();
    const computed = compute(expression, this.#context, fuel, this.#program.strict);
    this.#nodesLeft -= fuel.nodesUsed;
    if (computed.kind === "value") return computed;
    return { kind: "failure", code: computed.failure.code, message: computed.failure.message };
  }

  /** One known operand can be enough: a false one of `&&`, a true one of `||`. */
  #predictParts({ source, root }: Expression, reader: number): Prediction | undefined {
    if (root.kind !== "and" && root.kind !== "or") return undefined;
    const deciding = root.kind === "or";
    return root.parts
      .map((part) => this.predict({ expression: { source, root: part }, references: [] }, reader))
      .find((part) => part.kind === "value" && isTruthy(part.value) === deciding);
  }

  #isKnown({ path }: Reference, reader: number): boolean {
    const [root, ...rest] = path;
    if (root === "input") return Object.hasOwn(this.#context, "input");
    if (root === "steps") return rest[0] !== undefined && Object.hasOwn(this.#steps, rest[0]);
    if (root !== "variables") return false;
    return !this.#program.writers.some(
      (writer) =>
        writer.step !== reader && !writer.isPrivate && !this.#skipped.has(writer.step) && overlaps(writer.path, rest),
    );
  }
}

function referenceText({ path }: Reference): string {
  return path.length === 0 ? "@" : path.join(".");
}
