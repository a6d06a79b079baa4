// Evaluation: a tree, a root value and fuel in; a value or an error out.
//
// Job: the semantics of every kind of node, as in the specification.
// Not its job: functions (`functions/`), costs (`fuel.ts`), scopes (resolved by `compiler.ts`).
//
// Invariants
//   EVAL-1  Total and deterministic: no input and no expression makes it throw, loop or read anything but `root`.
//   EVAL-2  Only own members of objects are read, so no prototype can be reached; input is never changed.
//   EVAL-3  An array or object that is part of the input or of the expression may be the result whatever its size. One that the
//           expression made is the result only if its JSON text, with shared parts written out each time, fits into the bytes
//           that the fuel has left; that text is charged. So the JSON text of a result that is not selected from the input has at
//           most `fuel.limits.bytes` bytes.
//   EVAL-4  Recursion is bounded by the depth of the tree, which the parser has bounded.
//   EVAL-5  With `strict`, a path that leads nowhere is an error, unless the expression handles it: on the left of `||`, in
//           `not_null`, in `type`, compared with a literal null, and inside projections and `&` expressions, where elements may
//           differ.

import {
  formatJsonPath,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from "../../model/json.ts";
import { calculate, finite, operand } from "./arithmetic.ts";
import { compare, isTrue, meteredKeys } from "./comparison.ts";
import type { ExpressionCode } from "./expression-code.ts";
import { ExpressionFailure, fail } from "./expression-failure.ts";
import type { Expression } from "./expression.ts";
import type { Fuel } from "./fuel.ts";
import { FunctionCall, type FunctionContext } from "./functions/function-definition.ts";
import { jsonSize } from "./json-size.ts";
import type { CallNode, HashEntry, ExpressionNode, SliceBounds } from "./node.ts";
import { sliceArray, sliceText } from "./slice.ts";

export type Evaluation =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "error"; readonly code: ExpressionCode; readonly message: string };

export function evaluate(expression: Expression, root: Json, fuel: Fuel, strict = false): Evaluation {
  try {
    return { kind: "value", value: new Evaluator(root, fuel, strict).result(expression.root) };
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    return { kind: "error", code: error.code, message: error.message };
  }
}

class Evaluator implements FunctionContext {
  readonly fuel: Fuel;
  readonly #root: Json;
  #slots: Json[] | undefined;
  #made: Set<JsonArray | JsonObject> | undefined;
  /** Whether a missing value is an error at the current position. */
  #isStrict: boolean;

  constructor(root: Json, fuel: Fuel, strict: boolean) {
    this.#root = root;
    this.fuel = fuel;
    this.#isStrict = strict;
  }

  result(node: ExpressionNode): Json {
    const value = this.#visit(node, this.#root);
    if (typeof value === "object" && value !== null && this.#made?.has(value) === true) this.#payResult(value);
    return value;
  }

  register<Value extends JsonArray | JsonObject>(value: Value): Value {
    this.#made ??= new Set();
    this.#made.add(value);
    this.fuel.slots(2);
    return value;
  }

  #payResult(value: Json): void {
    const left = this.fuel.limits.bytes - this.fuel.bytesUsed;
    this.fuel.produce(jsonSize(value, left));
  }

  #visit(node: ExpressionNode, value: Json): Json {
    this.fuel.spend(1);
    switch (node.kind) {
      case "path":
        return this.#readPath(node.steps, value);
      case "current":
        return value;
      case "root":
        return this.#root;
      case "literal":
        return node.value;
      case "chain":
        return this.#visitChain(node.base, node.links, value);
      case "pipe":
        return this.#visitPipe(node.parts, value);
      case "or":
        return this.#visitUntil(true, node.parts, value);
      case "and":
        return this.#visitUntil(false, node.parts, value);
      case "not":
        return !this.#isTrue(node.operand, value);
      case "compare":
        return this.#visitCompare(node, value);
      case "arithmetic":
        return this.#visitArithmetic(node, value);
      case "sign":
        return this.#visitSign(node.negative, node.operand, value);
      case "ternary":
        return this.#visit(this.#isTrue(node.condition, value) ? node.whenTrue : node.whenFalse, value);
      case "list":
        return this.#visitList(node.items, value);
      case "hash":
        return this.#visitHash(node.entries, value);
      case "slice":
        return this.#slice(value, node.bounds);
      case "flatten":
        return this.#flatten(this.#visit(node.operand, value));
      case "project":
        return this.#visitProject(node, value);
      case "project-values":
        return this.#visitProjectValues(node.operand, node.each, value);
      case "filter":
        return this.#visitFilter(node, value);
      case "let":
        return this.#visitLet(node, value);
      case "variable":
        return this.#slots?.[node.slot] ?? null;
      case "unbound":
        return fail(
          "EXPRESSION_UNDEFINED_VARIABLE",
          `The variable $${node.name} is not bound by any \`let\` around it`,
        );
      case "first-non-null":
        return this.#visitFirstNonNull(node.items, value);
      case "call":
        return this.#visitCall(node, value);
    }
  }

  #readPath(steps: readonly (string | number)[], value: Json): Json {
    this.fuel.spend(steps.length - 1);
    let current: Json | undefined = value;
    for (let index = 0; index < steps.length; index += 1) {
      const step = steps[index]!;
      if (typeof current !== "object" || current === null) return this.#missing(steps);
      if (typeof step === "string") {
        if (isJsonArray(current) || !Object.hasOwn(current, step)) return this.#missing(steps);
        current = current[step];
      } else {
        if (!isJsonArray(current)) return this.#missing(steps);
        current = current[step < 0 ? current.length + step : step];
      }
    }
    return current ?? (current === null ? null : this.#missing(steps));
  }

  #missing(steps: readonly (string | number)[]): null {
    if (!this.#isStrict) return null;
    const path = formatJsonPath(steps);
    return fail(
      "TEMPLATE_MISSING",
      `\`${path}\` has no value, and the workflow is strict; give a default with \`${path} || 'default'\`,`,
    );
  }

  /** For positions where the expression handles missing values itself. */
  #leniently<Result>(work: () => Result): Result {
    const outer = this.#isStrict;
    this.#isStrict = false;
    const result = work();
    this.#isStrict = outer;
    return result;
  }

  #visitChain(base: ExpressionNode, links: readonly ExpressionNode[], value: Json): Json {
    let current = this.#visit(base, value);
    for (const link of links) {
      if (current === null) return null;
      current = this.#visit(link, current);
    }
    return current;
  }

  #visitPipe(parts: readonly ExpressionNode[], value: Json): Json {
    let current = value;
    for (const part of parts) current = this.#visit(part, current);
    return current;
  }

  /** The first value that is true (`||`) or false (`&&`), otherwise the last. */
  #visitUntil(truth: boolean, parts: readonly ExpressionNode[], value: Json): Json {
    let current: Json = null;
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index]!;
      const hasDefault = truth && index < parts.length - 1;
      current = hasDefault ? this.#leniently(() => this.#visit(part, value)) : this.#visit(part, value);
      if (index < parts.length - 1 && isTrue(current, this.fuel) === truth) return current;
    }
    return current;
  }

  #isTrue(node: ExpressionNode, value: Json): boolean {
    return isTrue(this.#visit(node, value), this.fuel);
  }

  #visitCompare(node: Extract<ExpressionNode, { kind: "compare" }>, value: Json): Json {
    if (this.#isStrict && asksForNull(node)) return this.#leniently(() => this.#visitCompare(node, value));
    let left = this.#visit(node.first, value);
    for (let index = 0; index < node.rest.length; index += 1) {
      const operation = node.rest[index]!;
      left = compare(left, operation.operator, this.#visit(operation.operand, value), this.fuel);
    }
    return left;
  }

  #visitArithmetic(node: Extract<ExpressionNode, { kind: "arithmetic" }>, value: Json): Json {
    let left = this.#visit(node.first, value);
    for (const { operator, operand: right } of node.rest) left = calculate(left, operator, this.#visit(right, value));
    return left;
  }

  #visitSign(negative: boolean, node: ExpressionNode, value: Json): number {
    const number = operand(this.#visit(node, value), negative ? "-" : "+");
    return negative ? finite(-number) : number;
  }

  #visitList(items: readonly ExpressionNode[], value: Json): Json {
    this.fuel.slots(items.length);
    const list: Json[] = [];
    for (const item of items) list.push(this.#visit(item, value));
    return this.register(list);
  }

  #visitHash(entries: readonly HashEntry[], value: Json): Json {
    this.fuel.slots(2 * entries.length);
    const hash: Record<string, Json> = {};
    for (const entry of entries) hash[entry.key] = this.#visit(entry.value, value);
    return this.register(hash);
  }

  #slice(value: Json, bounds: SliceBounds): Json {
    if (typeof value === "string") return sliceText(value, bounds, this.fuel);
    return isJsonArray(value) ? this.register(sliceArray(value, bounds, this.fuel)) : null;
  }

  #flatten(value: Json): Json {
    if (!isJsonArray(value)) return null;
    const flat: Json[] = [];
    for (const element of value) {
      const count = isJsonArray(element) ? element.length : 1;
      this.fuel.scan(count);
      this.fuel.slots(count);
      if (isJsonArray(element)) for (const inner of element) flat.push(inner);
      else flat.push(element);
    }
    return this.register(flat);
  }

  #visitProject(node: Extract<ExpressionNode, { kind: "project" }>, value: Json): Json {
    const base = this.#visit(node.operand, value);
    if (typeof base === "string" && node.overText) return this.#visit(node.each, base);
    return isJsonArray(base) ? this.#leniently(() => this.#project(base, node.each)) : null;
  }

  #visitProjectValues(node: ExpressionNode, each: ExpressionNode, value: Json): Json {
    const base = this.#visit(node, value);
    if (!isJsonObject(base)) return null;
    return this.#leniently(() => this.#collectValues(base, each));
  }

  #collectValues(base: JsonObject, each: ExpressionNode): Json {
    const collected: Json[] = [];
    for (const key of meteredKeys(base, this.fuel)) this.#collect(collected, this.#visit(each, base[key] ?? null));
    return this.register(collected);
  }

  #project(elements: JsonArray, each: ExpressionNode): Json {
    const collected: Json[] = [];
    for (const element of elements) this.#collect(collected, this.#visit(each, element));
    return this.register(collected);
  }

  #visitFilter(node: Extract<ExpressionNode, { kind: "filter" }>, value: Json): Json {
    const base = this.#visit(node.operand, value);
    return isJsonArray(base) ? this.#leniently(() => this.#filter(base, node)) : null;
  }

  #filter(elements: JsonArray, node: Extract<ExpressionNode, { kind: "filter" }>): Json {
    const collected: Json[] = [];
    for (const element of elements) {
      if (this.#isTrue(node.condition, element)) this.#collect(collected, this.#visit(node.each, element));
    }
    return this.register(collected);
  }

  /** Projections leave out nulls. */
  #collect(collected: Json[], value: Json): void {
    if (value === null) return;
    this.fuel.slots(1);
    collected.push(value);
  }

  #visitLet(node: Extract<ExpressionNode, { kind: "let" }>, value: Json): Json {
    const slots = (this.#slots ??= []);
    node.values.forEach((bound, index) => {
      slots[node.firstSlot + index] = this.#visit(bound, value);
    });
    return this.#visit(node.body, value);
  }

  #visitFirstNonNull(items: readonly ExpressionNode[], value: Json): Json {
    for (const item of items) {
      const result = this.#leniently(() => this.#visit(item, value));
      if (result !== null) return result;
    }
    return null;
  }

  #visitCall({ callee, args, by }: CallNode, value: Json): Json {
    const values: Json[] = [];
    for (const arg of args)
      values.push(callee.name === "type" ? this.#leniently(() => this.#visit(arg, value)) : this.#visit(arg, value));
    const apply = (element: Json): Json => (by === undefined ? null : this.#leniently(() => this.#visit(by, element)));
    return callee.run(new FunctionCall(callee.name, values, apply, this));
  }
}

/** `x == null` and `x != null` test whether a value exists. */
function asksForNull({ first, rest }: Extract<ExpressionNode, { kind: "compare" }>): boolean {
  const [only, another] = rest;
  return another === undefined && (isNull(first) || (only !== undefined && isNull(only.operand)));
}

function isNull(node: ExpressionNode): boolean {
  return node.kind === "literal" && node.value === null;
}
