// The known shapes of the values that the expressions of one list of steps read, behind the roots of DATA-1.
//
//   KS-1. A step inside a map sees the input and the variables of the enclosing workflow, and the items of its map.
//   KS-2. Nothing is known about the scope around steps that are made at run time.

import type { ActionDefinition, ApproveAction, StepDefinition } from "../model/definition.ts";
import type { Expression } from "../data/jmespath/expression.ts";
import { checkExpression } from "../data/shapes/expression-check.ts";
import { lookUpItem } from "../data/shapes/shape-field.ts";
import { mayBeOfType } from "../data/shapes/shape-match.ts";
import {
  BOOLEAN,
  INTEGER,
  listShape,
  NUMBER,
  openShape,
  recordShape,
  schemaShape,
  unionShape,
  STRING,
  UNKNOWN,
  valuesShape,
  type Shape,
} from "../data/shapes/shape.ts";
import { neighbours } from "../graph/graph.ts";
import type { ExpressionRead } from "./problem-collector.ts";
import type { ReadScope } from "./compile-scope.ts";
import { variablesShape } from "./variable-shapes.ts";

const EXECUTION = recordShape({ id: STRING, workflow: STRING, startedAt: UNKNOWN, correlationId: STRING });
/** A reader starts after the step that it reads has ended (CONTRACT-11), so it sees only these states. */
const STATUS = valuesShape(["succeeded", "failed", "skipped", "cancelled"]);
const ERROR = recordShape({
  class: valuesShape(["transient", "permanent", "timeout", "cancelled"]),
  code: STRING,
  message: STRING,
});
/** The output of a command that succeeded; a command that failed has none. */
const COMMAND_RECORD = { exitCode: INTEGER, stdout: STRING, stderr: STRING, truncated: BOOLEAN };
const COMMAND = recordShape(COMMAND_RECORD);
/** The fields of the output of a command. */
export const COMMAND_FIELDS: readonly string[] = Object.keys(COMMAND_RECORD);
const VOTE_RECORD = { by: STRING, verdict: STRING, comment: STRING };
const ARTIFACTS = listShape(recordShape({ path: STRING, hash: STRING, bytes: INTEGER }));
const TIMES = { startedAt: NUMBER, completedAt: NUMBER, durationMs: NUMBER };
const OVER_ROOTS = ["execution", "input", "variables", "steps", "previous", "item", "index", "last"];
const FALLBACKS_MAX = 8;
/** With more children than this, the result is not searched for at compile time. */
const CHILDREN_MAX = 1000;

const KNOWN = new WeakMap<ReadScope, KnownShapes>();

/** One for each list of steps, so that many maps share the shapes of the enclosing workflow. */
export function knownShapes(scope: ReadScope): KnownShapes {
  const known = KNOWN.get(scope) ?? new KnownShapes(scope);
  KNOWN.set(scope, known);
  return known;
}

type ShapeReader = Pick<ExpressionRead, "step" | "roots" | "labelled">;

class KnownShapes {
  readonly #scope: ReadScope;
  readonly #outer: KnownShapes | undefined;
  readonly #items = new Map<Expression, Shape>();
  #item: Shape | undefined;
  #variables: Shape | undefined;

  constructor(scope: ReadScope) {
    this.#scope = scope;
    const { outer } = scope.compileScope;
    this.#outer = outer === undefined ? undefined : knownShapes(outer.scope);
  }

  rootFor({ step, roots, labelled }: ShapeReader): Shape {
    return openShape((name) => {
      if (!roots.includes(name)) return UNKNOWN;
      switch (name) {
        case "execution":
          return EXECUTION;
        case "input":
          return this.#inputShape();
        case "variables":
          return this.#variablesShape();
        case "steps":
          return openShape((id) => this.#stepShape(id));
        case "previous":
          return this.#previous(step);
        case "item":
          return labelled === undefined ? this.#itemShape() : this.#mapItemShape(labelled, step);
        case "index":
          return INTEGER;
        default:
          return UNKNOWN;
      }
    });
  }

  /** The output of a step before `select`. */
  rawOutput(step: number): Shape {
    return rawOutput(this.#scope.definition.steps[step]!.action);
  }

  /** Whether the `over` of a map is known not to be a list. */
  isNeverList(over: Expression, step: number): boolean {
    const { budget } = this.#scope;
    const shape = checkExpression(over, this.rootFor({ step, roots: OVER_ROOTS }), budget);
    return !budget.spend((fuel) => mayBeOfType(shape, "array", fuel));
  }

  #inputShape(): Shape {
    if (this.#outer !== undefined) return this.#outer.#inputShape();
    const { definition, compileScope } = this.#scope;
    return compileScope.scope === "workflow" ? schemaShape(definition.input) : UNKNOWN;
  }

  #variablesShape(): Shape {
    if (this.#outer !== undefined) return this.#outer.#variablesShape();
    const { definition, compileScope } = this.#scope;
    this.#variables ??= compileScope.scope === "workflow" ? variablesShape(definition) : UNKNOWN;
    return this.#variables;
  }

  #itemShape(): Shape {
    this.#item ??= this.#ownItem();
    return this.#item;
  }

  #ownItem(): Shape {
    const { outer, scope } = this.#scope.compileScope;
    if (scope === "repeat") return this.#outer!.#itemShape();
    return outer?.over === undefined ? UNKNOWN : this.#outer!.#mapItemShape(outer.over, outer.step);
  }

  #mapItemShape(over: Expression, step: number): Shape {
    const known = this.#items.get(over);
    if (known !== undefined) return known;
    const { budget } = this.#scope;
    const list = checkExpression(over, this.rootFor({ step, roots: OVER_ROOTS }), budget);
    const lookup = budget.spend((fuel) => lookUpItem(list, fuel));
    const item = lookup.kind === "found" ? lookup.shape : UNKNOWN;
    this.#items.set(over, item);
    return item;
  }

  #stepShape(id: string): Shape {
    const { graph, definition } = this.#scope;
    const step = graph.indexById.get(id);
    if (step === undefined) return this.#outer === undefined ? UNKNOWN : this.#outer.#stepShape(id);
    const output = outputShape(definition.steps, graph.indexById, step);
    return recordShape({ status: STATUS, output, error: ERROR, attempts: INTEGER, artifacts: ARTIFACTS, ...TIMES });
  }

  #previous(step: number): Shape {
    const { graph, definition } = this.#scope;
    const [dependency] = step < 0 ? [] : neighbours(graph.dependencies, step);
    return dependency === undefined ? UNKNOWN : outputShape(definition.steps, graph.indexById, dependency);
  }
}

/** The shape under a step's id: its own output, or the output of a fallback (STATE-8). */
function outputShape(steps: readonly StepDefinition[], indexById: ReadonlyMap<string, number>, first: number): Shape {
  const shapes: Shape[] = [];
  let index: number | undefined = first;
  for (let hop = 0; index !== undefined; hop++) {
    if (hop > FALLBACKS_MAX) return UNKNOWN;
    const step: StepDefinition = steps[index]!;
    shapes.push(ownOutput(step));
    index = step.fallback === undefined ? undefined : indexById.get(step.fallback);
  }
  return unionShape(shapes);
}

function ownOutput({ action, output }: StepDefinition): Shape {
  if (output?.schema !== undefined) return schemaShape(output.schema);
  return output?.select === undefined ? rawOutput(action) : UNKNOWN;
}

function rawOutput(action: ActionDefinition): Shape {
  if (action.kind === "wait" && action.on === "signal") return schemaShape(action.schema);
  if (action.kind === "approve") return approvalShape(action);
  if (action.kind === "run" || action.kind === "exec") return COMMAND;
  if (action.kind !== "map") return UNKNOWN;
  const { steps, result } = action;
  if (steps.length > CHILDREN_MAX) return listShape(UNKNOWN);
  const index = result === undefined ? steps.length - 1 : steps.findIndex(({ id }) => id === result);
  const child = steps[index];
  return listShape(child === undefined || child.fallback !== undefined ? UNKNOWN : ownOutput(child));
}

/** Without a schema, neither an approval nor its votes have an answer. */
function approvalShape({ schema }: ApproveAction): Shape {
  const answer = schema === undefined ? {} : { answer: schemaShape(schema) };
  const votes = listShape(recordShape({ ...VOTE_RECORD, ...answer }));
  return recordShape({ approved: BOOLEAN, expired: BOOLEAN, votes, ...answer });
}
