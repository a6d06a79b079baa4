// Checks an expression against the known shapes of the values that it reads.
//
// Job: an evaluation over shapes instead of values. It reports fields that can never exist and comparisons whose result is constant;
// both are always null or false, so a condition with one skips its step without a message.
// Not its job: the meaning of the roots, and expressions that may be right in some case.
//
//   CHECK-1. Every node is visited once, and all queries about schemas share the fuel of the document's budget (SB-1), so an
//            expression costs at most its length and the fuel, whatever the schema is.
//   CHECK-2. A reported part counts as unknown from there on: one mistake is one report.

import type { Json } from "../../model/json.ts";
import type { Expression } from "../jmespath/expression.ts";
import type { CallNode, Comparison, ExpressionNode } from "../jmespath/node.ts";
import { resultShape } from "./function-shapes.ts";
import type { ShapeBudget, ShapeFuel } from "./shape-budget.ts";
import { lookUpField, lookUpItem } from "./shape-field.ts";
import { mayBeOfType, mayEqual } from "./shape-match.ts";
import { expectedText, possibleValues } from "./shape-text.ts";
import {
  BOOLEAN,
  listShape,
  NUMBER,
  recordShape,
  unionShape,
  UNKNOWN,
  type ShapeLookup,
  type ObjectShape,
  type Shape,
} from "./shape.ts";

export interface AbsentField {
  readonly code: ObjectShape["code"];
  /** The whole path up to the mistake, `input.chanel`. */
  readonly path: string;
  readonly name: string;
  /** The names that may stand there instead; empty if the value has no fields at all. */
  readonly names: readonly string[];
  /** The type of the value, which has no fields or items. */
  readonly suggestion: string | undefined;
}

export interface FixedComparison {
  readonly path: string;
  readonly operator: Comparison;
  readonly literal: Json | undefined;
  readonly expected: string;
  /** Texts that the literal may have been meant to be. */
  readonly candidates: readonly string[];
  readonly mayBeNumber: boolean;
  readonly mayBeBoolean: boolean;
}

export interface CheckListener {
  absent(problem: AbsentField): void;
  onFixedComparison(problem: FixedComparison): void;
  /** Two literals are compared. */
  onLiterals(values: readonly [Json, Json]): void;
}

const NO_LISTENER: CheckListener = {
  absent: () => undefined,
  onFixedComparison: () => undefined,
  onLiterals: () => undefined,
};

/** The shape of an expression's result. */
export function checkExpression(
  expression: Expression,
  root: Shape,
  budget: ShapeBudget,
  listener: CheckListener = NO_LISTENER,
): Shape {
  return budget.spend(
    (fuel) => new Checker(root, fuel, listener).visit(expression.root, { shape: root, path: "" }).shape,
  );
}

/** A shape, and the path that an author would write for it; without a path if it was computed. */
interface ShapeAtPath {
  readonly shape: Shape;
  readonly path: string | undefined;
}

class Checker {
  readonly #root: ShapeAtPath;
  readonly #listener: CheckListener;
  readonly #fuel: ShapeFuel;
  readonly #slots: ShapeAtPath[] = [];

  constructor(root: Shape, fuel: ShapeFuel, listener: CheckListener) {
    this.#root = { shape: root, path: "" };
    this.#fuel = fuel;
    this.#listener = listener;
  }

  visit(node: ExpressionNode, current: ShapeAtPath): ShapeAtPath {
    switch (node.kind) {
      case "current":
        return current;
      case "root":
        return this.#root;
      case "path":
        return node.steps.reduce((seen, step) => this.#step(seen, step), current);
      case "pipe":
        return node.parts.reduce((seen, part) => this.visit(part, seen), current);
      case "chain":
        return node.links.reduce((seen, link) => this.visit(link, seen), this.visit(node.base, current));
      case "let":
        node.values.forEach((bound, index) => {
          this.#slots[node.firstSlot + index] = this.visit(bound, current);
        });
        return this.visit(node.body, current);
      case "variable":
        return this.#slots[node.slot] ?? computedShape(UNKNOWN);
      case "literal":
        return computedShape({ kind: "literal", value: node.value });
      case "slice":
        return mayBeOfType(current.shape, "string", this.#fuel) ? computedShape(UNKNOWN) : current;
      case "unbound":
        return computedShape(UNKNOWN);
      default:
        return computedShape(this.#make(node, current));
    }
  }

  /** The kinds that give a new value. */
  #make(node: ComputingNode, current: ShapeAtPath): Shape {
    const shapes = (nodes: readonly ExpressionNode[]): readonly Shape[] =>
      nodes.map((each) => this.visit(each, current).shape);
    switch (node.kind) {
      case "or":
      case "and":
        return unionShape(shapes(node.parts));
      case "first-non-null":
        return node.items.length === 0 ? UNKNOWN : unionShape(shapes(node.items));
      case "not":
        shapes([node.operand]);
        return BOOLEAN;
      case "sign":
        shapes([node.operand]);
        return NUMBER;
      case "arithmetic":
        shapes([node.first, ...node.rest.map(({ operand }) => operand)]);
        return NUMBER;
      case "compare":
        return this.#compare(node, current);
      case "ternary":
        shapes([node.condition]);
        return unionShape(shapes([node.whenTrue, node.whenFalse]));
      case "list":
        return listShape(node.items.length === 0 ? UNKNOWN : unionShape(shapes(node.items)));
      case "hash":
        return recordShape(
          Object.fromEntries(node.entries.map(({ key, value }) => [key, this.visit(value, current).shape])),
        );
      case "call":
        return this.#call(node, current);
      default:
        return this.#project(node, current);
    }
  }

  #project(node: ShapeProjection, current: ShapeAtPath): Shape {
    const base = this.visit(node.operand, current);
    switch (node.kind) {
      case "flatten": {
        const { shape } = this.#item(base);
        return listShape(mayBeOfType(shape, "array", this.#fuel) ? UNKNOWN : shape);
      }
      case "project-values":
        return listShape(this.visit(node.each, computedShape(UNKNOWN)).shape);
      case "project": {
        if (!node.overText) return listShape(this.visit(node.each, this.#item(base)).shape);
        const isList = !mayBeOfType(base.shape, "string", this.#fuel);
        const each = this.visit(node.each, isList ? this.#item(base) : computedShape(UNKNOWN)).shape;
        return isList ? listShape(each) : UNKNOWN;
      }
      case "filter": {
        const item = this.#item(base);
        this.visit(node.condition, item);
        return listShape(this.visit(node.each, item).shape);
      }
    }
  }

  #call({ callee, args, by }: CallNode, current: ShapeAtPath): Shape {
    const given = args.map((arg) => this.visit(arg, current));
    if (by !== undefined) this.visit(by, given[0] === undefined ? computedShape(UNKNOWN) : this.#quietItem(given[0]));
    return resultShape(
      callee.name,
      given.map(({ shape }) => shape),
      (list) => this.#quietItem(computedShape(list)).shape,
    );
  }

  #step(seen: ShapeAtPath, step: string | number): ShapeAtPath {
    if (typeof step === "number") return this.#item(seen);
    const path = seen.path === undefined ? undefined : joinPath(seen.path, step);
    const lookup = lookUpField(seen.shape, step, this.#fuel);
    if (lookup.kind === "found") return { shape: lookup.shape, path };
    this.#report(lookup, seen, step, path);
    return { shape: UNKNOWN, path };
  }

  #item(seen: ShapeAtPath): ShapeAtPath {
    const lookup = lookUpItem(seen.shape, this.#fuel);
    if (lookup.kind === "impossible") this.#report(lookup, seen, "[]", pathOfItem(seen));
    return this.#foundItem(lookup, seen);
  }

  #quietItem(seen: ShapeAtPath): ShapeAtPath {
    return this.#foundItem(lookUpItem(seen.shape, this.#fuel), seen);
  }

  #foundItem(lookup: ShapeLookup, seen: ShapeAtPath): ShapeAtPath {
    return { shape: lookup.kind === "found" ? lookup.shape : UNKNOWN, path: pathOfItem(seen) };
  }

  #report(lookup: ShapeLookup, seen: ShapeAtPath, name: string, path: string | undefined): void {
    if (lookup.kind === "silent" || lookup.kind === "found") return;
    const isAbsent = lookup.kind === "absent";
    this.#listener.absent({
      code: isAbsent ? lookup.code : "UNKNOWN_FIELD",
      path: path ?? name,
      name,
      names: isAbsent ? lookup.names() : [],
      suggestion: isAbsent ? undefined : expectedText(seen.shape, this.#fuel),
    });
  }

  #compare(node: Extract<ExpressionNode, { kind: "compare" }>, current: ShapeAtPath): Shape {
    let left = this.visit(node.first, current);
    for (const { operator, operand } of node.rest) {
      const right = this.visit(operand, current);
      if (left.shape.kind === "literal" && right.shape.kind === "literal")
        this.#listener.onLiterals([left.shape.value, right.shape.value]);
      else if (operator === "==" || operator === "!=") this.#checkEquality(left, operator, right);
      else this.#checkOrder(left, operator, right);
      left = computedShape(BOOLEAN);
    }
    return BOOLEAN;
  }

  #checkEquality(left: ShapeAtPath, operator: Comparison, right: ShapeAtPath): void {
    const [value, literal] = left.shape.kind === "literal" ? [right, left.shape] : [left, right.shape];
    if (literal.kind !== "literal" || literal.value === null) return;
    if (!mayEqual(value.shape, literal.value, this.#fuel)) this.#reportFixed(value, operator, literal.value);
  }

  /** Only numbers have an order; anything else compares to null. */
  #checkOrder(left: ShapeAtPath, operator: Comparison, right: ShapeAtPath): void {
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (mayBeOfType(side.shape, "number", this.#fuel)) continue;
      if (side.shape.kind === "literal") this.#reportFixed(other, operator, side.shape.value, "a number");
      else this.#reportFixed(side, operator, undefined, "a number");
      return;
    }
  }

  #reportFixed({ shape, path }: ShapeAtPath, operator: Comparison, literal: Json | undefined, expected?: string): void {
    const values = possibleValues(shape, this.#fuel) ?? [];
    this.#listener.onFixedComparison({
      path: path === undefined || path === "" ? "the value" : path,
      operator,
      literal,
      expected: expected ?? expectedText(shape, this.#fuel),
      candidates: values.filter((value) => typeof value === "string").slice(0, 200),
      mayBeNumber: mayBeOfType(shape, "number", this.#fuel),
      mayBeBoolean: mayBeOfType(shape, "boolean", this.#fuel),
    });
  }
}

type ShapeProjection = Extract<ExpressionNode, { kind: "flatten" | "project" | "project-values" | "filter" }>;
type ComputingNode = Exclude<
  ExpressionNode,
  { kind: "current" | "root" | "path" | "pipe" | "chain" | "let" | "variable" | "literal" | "slice" | "unbound" }
>;

function computedShape(shape: Shape): ShapeAtPath {
  return { shape, path: undefined };
}

function pathOfItem({ path }: ShapeAtPath): string | undefined {
  return path === undefined ? undefined : `${path}[]`;
}

function joinPath(path: string, name: string): string {
  const written = /^[A-Za-z_][A-Za-z0-9_]*$/u.test(name) ? name : JSON.stringify(name);
  return path === "" ? written : `${path}.${written}`;
}
