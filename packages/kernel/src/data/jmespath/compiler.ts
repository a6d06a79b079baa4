// Compiles the parser's tree into the tree that is evaluated.
//
// Job: flattens chains that the parser nests to the left, resolves variables to slots and names to functions, and refuses errors
// that are known without data.
// Not its job: limits on length and nesting; `source-normalizer.ts` has applied them, and the recursion here relies on that.
//
// Invariants
//   COMP-1  A variable's scope is lexical, so its slot is known here. Slots of a `let` follow those of the enclosing scope and are
//           never shared by two scopes of one branch, so evaluation needs no stack of scopes.
//   COMP-2  Every function name exists and has the right number of arguments, so evaluation never reports
//           EXPRESSION_UNKNOWN_FUNCTION or EXPRESSION_ARITY.
//   COMP-3  No literal and no multi-select hash holds a key that could reach a prototype.

import { closest } from "../../errors/suggestion.ts";
import { isForbiddenKey, type Json } from "../../model/json.ts";
import { fail } from "./expression-failure.ts";
import { FUNCTIONS } from "./functions/function-table.ts";
import type { FunctionDefinition } from "./functions/function-definition.ts";
import type {
  LibraryArithmetic,
  LibraryBinary,
  LibraryCall,
  LibraryComparison,
  LibraryLet,
  LibraryNode,
  LibraryPair,
  LibrarySlice,
} from "./library-node.ts";
import type { Arithmetic, Comparison, HashEntry, ExpressionNode, Operation } from "./node.ts";

/** Visible variables, the innermost first. */
interface Scope {
  readonly names: ReadonlyMap<string, number>;
  readonly outer: Scope | undefined;
  readonly nextSlot: number;
}

const TOP: Scope = { names: new Map(), outer: undefined, nextSlot: 0 };
const CURRENT: ExpressionNode = Object.freeze({ kind: "current" });
const ROOT: ExpressionNode = Object.freeze({ kind: "root" });

const COMPARISONS: Readonly<Record<LibraryComparison, Comparison>> = {
  EQ: "==",
  NE: "!=",
  LT: "<",
  LTE: "<=",
  GT: ">",
  GTE: ">=",
};

const ARITHMETIC: Readonly<Record<LibraryArithmetic, Arithmetic>> = {
  Plus: "+",
  Minus: "-",
  Multiply: "*",
  Star: "*",
  Divide: "/",
  Modulo: "%",
  Div: "//",
};

export function compileNode(node: LibraryNode): ExpressionNode {
  return compile(node, TOP);
}

function compile(node: LibraryNode, scope: Scope): ExpressionNode {
  switch (node.type) {
    case "Identity":
    case "Current":
      return CURRENT;
    case "Root":
      return ROOT;
    case "Literal":
      return freeze({ kind: "literal", value: checkedLiteral(node.value) });
    case "Field":
      return toPath([node.name]);
    case "Index":
      return toPath([node.value]);
    case "Slice":
      return compileSlice(node);
    case "Variable":
      return resolve(node.name, scope);
    case "Subexpression":
    case "IndexExpression":
      return compileChain(node, scope);
    case "Pipe":
      return freeze({ kind: "pipe", parts: compileSpine(node, "Pipe", scope) });
    case "OrExpression":
      return freeze({ kind: "or", parts: compileSpine(node, "OrExpression", scope) });
    case "AndExpression":
      return freeze({ kind: "and", parts: compileSpine(node, "AndExpression", scope) });
    case "NotExpression":
      return freeze({ kind: "not", operand: compile(node.child, scope) });
    case "Comparator":
      return compileComparison(node, scope);
    case "Arithmetic":
      return compileArithmetic(node, scope);
    case "Unary":
      return freeze({ kind: "sign", negative: node.operator === "Minus", operand: compile(node.operand, scope) });
    default:
      return compileStructure(node, scope);
  }
}

/** The kinds whose parts have different roles. A binding or an `&` expression has no meaning on its own. */
function compileStructure(node: LibraryNode, scope: Scope): ExpressionNode {
  switch (node.type) {
    case "Ternary": {
      const condition = compile(node.condition, scope);
      const whenTrue = compile(node.trueExpr, scope);
      return freeze({ kind: "ternary", condition, whenTrue, whenFalse: compile(node.falseExpr, scope) });
    }
    case "MultiSelectList":
      return freeze({ kind: "list", items: compileAll(node.children, scope) });
    case "MultiSelectHash":
      return freeze({ kind: "hash", entries: Object.freeze(node.children.map((pair) => compileEntry(pair, scope))) });
    case "Flatten":
      return freeze({ kind: "flatten", operand: compile(refuseNot(node.child), scope) });
    case "Projection": {
      const overText = node.left.type === "IndexExpression" && node.left.right.type === "Slice";
      const operand = compile(refuseNot(node.left), scope);
      return freeze({ kind: "project", operand, each: compile(node.right, scope), overText });
    }
    case "ValueProjection": {
      const operand = compile(refuseNot(node.left), scope);
      return freeze({ kind: "project-values", operand, each: compile(node.right, scope) });
    }
    case "FilterProjection": {
      const operand = compile(refuseNot(node.left), scope);
      const condition = compile(node.condition, scope);
      return freeze({ kind: "filter", operand, condition, each: compile(node.right, scope) });
    }
    case "LetExpression":
      return compileLet(node, scope);
    case "Function":
      return compileCall(node, scope);
    default:
      return fail("EXPRESSION_SYNTAX", `A ${node.type} cannot stand alone`);
  }
}

function freeze(node: ExpressionNode): ExpressionNode {
  return Object.freeze(node);
}

function compileAll(nodes: readonly LibraryNode[], scope: Scope): readonly ExpressionNode[] {
  return Object.freeze(nodes.map((node) => compile(node, scope)));
}

/** `((a | b) | c)` as `[a, b, c]`. */
function compileSpine(node: LibraryBinary, type: LibraryBinary["type"], scope: Scope): readonly ExpressionNode[] {
  const parts: LibraryNode[] = [];
  let left: LibraryNode = node;
  while (left.type === type) {
    parts.push(left.right);
    left = left.left;
  }
  parts.push(left);
  return compileAll(parts.toReversed(), scope);
}

function compileChain(node: LibraryBinary, scope: Scope): ExpressionNode {
  const links: LibraryNode[] = [];
  let base: LibraryNode = node;
  while (base.type === "Subexpression" || base.type === "IndexExpression") {
    links.push(base.right);
    base = base.left;
  }
  return toChain([compile(refuseNot(base), scope), ...compileAll(links.toReversed(), scope)]);
}

/**
 * One node that applies these in order. The parser reads `a.b[*].c` as `a . (b[*].c)`; converted into `(a.b)[*].c`, which is
 * the same for every value, its left side is a plain path.
 */
function toChain(nodes: readonly ExpressionNode[]): ExpressionNode {
  const last = nodes.at(-1);
  if (nodes.length > 1 && last !== undefined && isProjection(last)) {
    return freeze({ ...last, operand: toChain([...nodes.slice(0, -1), last.operand]) });
  }
  const [base = CURRENT, ...links] = joinedPaths(nodes.flatMap(chainLinks));
  return links.length === 0 ? base : freeze({ kind: "chain", base, links: Object.freeze(links) });
}

function chainLinks(node: ExpressionNode): readonly ExpressionNode[] {
  return node.kind === "chain" ? [node.base, ...node.links] : [node];
}

function isProjection(
  node: ExpressionNode,
): node is Extract<ExpressionNode, { kind: "project" | "project-values" | "filter" }> {
  return node.kind === "project" || node.kind === "project-values" || node.kind === "filter";
}

/**
 * Joins neighbouring paths into one path; the current value is left out. The steps of a path are collected before the path is
 * built: a path that grows by copies takes quadratic time.
 */
function joinedPaths(nodes: readonly ExpressionNode[]): readonly ExpressionNode[] {
  const joined: ExpressionNode[] = [];
  let steps: (string | number)[] = [];
  const endPath = (): void => {
    if (steps.length > 0) joined.push(toPath(steps));
    steps = [];
  };
  for (const node of nodes) {
    if (node.kind === "current") continue;
    if (node.kind === "path") for (const step of node.steps) steps.push(step);
    else {
      endPath();
      joined.push(node);
    }
  }
  endPath();
  return joined;
}

function toPath(steps: readonly (string | number)[]): ExpressionNode {
  return freeze({ kind: "path", steps: Object.freeze(steps) });
}

/** In this grammar `!` binds tighter than the dot, so `!a.b` reads a field of a boolean and is always null. */
function refuseNot(base: LibraryNode): LibraryNode {
  if (base.type !== "NotExpression") return base;
  return fail(
    "EXPRESSION_SYNTAX",
    "`!` binds tighter than what follows, so `!a.b` means `(!a).b`, which is always null; write `!(a.b)`",
  );
}

function compileComparison(node: LibraryNode, scope: Scope): ExpressionNode {
  const rest: Operation<Comparison>[] = [];
  let left = node;
  for (; left.type === "Comparator"; left = left.left) {
    rest.push(Object.freeze({ operator: COMPARISONS[left.name], operand: compile(left.right, scope) }));
  }
  return freeze({ kind: "compare", first: compile(left, scope), rest: Object.freeze(rest.toReversed()) });
}

function compileArithmetic(node: LibraryNode, scope: Scope): ExpressionNode {
  const rest: Operation<Arithmetic>[] = [];
  let left = node;
  for (; left.type === "Arithmetic"; left = left.left) {
    rest.push(Object.freeze({ operator: ARITHMETIC[left.operator], operand: compile(left.right, scope) }));
  }
  return freeze({ kind: "arithmetic", first: compile(left, scope), rest: Object.freeze(rest.toReversed()) });
}

function compileSlice(node: LibrarySlice): ExpressionNode {
  if (node.step === 0) fail("EXPRESSION_VALUE", "A slice cannot have a step of 0");
  return freeze({ kind: "slice", bounds: Object.freeze({ start: node.start, stop: node.stop, step: node.step ?? 1 }) });
}

function compileEntry(pair: LibraryPair, scope: Scope): HashEntry {
  if (isForbiddenKey(pair.name)) fail("EXPRESSION_VALUE", `An object cannot have the key "${pair.name}"`);
  return Object.freeze({ key: pair.name, value: compile(pair.value, scope) });
}

function resolve(name: string, scope: Scope): ExpressionNode {
  for (let inner: Scope | undefined = scope; inner !== undefined; inner = inner.outer) {
    const slot = inner.names.get(name);
    if (slot !== undefined) return freeze({ kind: "variable", slot });
  }
  return freeze({ kind: "unbound", name });
}

function compileLet(node: LibraryLet, scope: Scope): ExpressionNode {
  const names = new Map<string, number>();
  const inner: Scope = { names, outer: scope, nextSlot: scope.nextSlot + node.bindings.length };
  // Bindings see the scope around the `let`, not each other; their own slots must be above all slots of that scope.
  const around: Scope = { ...scope, nextSlot: inner.nextSlot };
  const values = node.bindings.map((binding, index) => {
    if (binding.type !== "Binding") return fail("EXPRESSION_SYNTAX", "`let` binds variables: `let $name = … in …`");
    names.set(binding.variable, scope.nextSlot + index);
    return compile(binding.reference, around);
  });
  const body = compile(node.expression, inner);
  return freeze({ kind: "let", firstSlot: scope.nextSlot, values: Object.freeze(values), body });
}

function compileCall(node: LibraryCall, scope: Scope): ExpressionNode {
  const callee = functionNamed(node.name);
  checkArity(node, callee);
  node.children.forEach((child, index) => checkReference(callee, child, index));
  const args = compileAll(
    node.children.filter((child) => child.type !== "ExpressionReference"),
    scope,
  );
  if (callee.name === "not_null") return freeze({ kind: "first-non-null", items: args });
  return freeze({ kind: "call", callee, args, by: compileReference(node, scope) });
}

function compileReference(node: LibraryCall, scope: Scope): ExpressionNode | undefined {
  for (const child of node.children) if (child.type === "ExpressionReference") return compile(child.child, scope);
  return undefined;
}

function functionNamed(name: string): FunctionDefinition {
  const definition = FUNCTIONS.get(name);
  if (definition !== undefined) return definition;
  const near = closest(name, FUNCTIONS.keys());
  const hint = near === undefined ? "" : `; did you mean ${near}()?`;
  return fail("EXPRESSION_UNKNOWN_FUNCTION", `There is no function ${name}()${hint}`);
}

function checkArity(node: LibraryCall, { name, arity: [least, most] }: FunctionDefinition): void {
  const count = node.children.length;
  if (count >= least && count <= most) return;
  const range = most === least ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  const noun = range === "1" || range === "at least 1" ? "argument" : "arguments";
  fail("EXPRESSION_ARITY", `${name}() takes ${range} ${noun}, got ${count}`);
}

function checkReference({ name, by }: FunctionDefinition, argument: LibraryNode, index: number): void {
  const isReference = argument.type === "ExpressionReference";
  if (isReference === (by === index)) return;
  const expected = isReference ? "a value, not an expression after `&`" : "an expression after `&`";
  fail("EXPRESSION_TYPE", `${name}() expects argument ${index + 1} to be ${expected}`);
}

/** Refuses keys that could reach a prototype, and numbers too large to represent, which `JSON.parse` accepts. */
function checkedLiteral(value: Json): Json {
  if (typeof value === "number" && !Number.isFinite(value)) {
    fail("EXPRESSION_VALUE", "A literal holds a number that is too big");
  }
  if (typeof value !== "object" || value === null) return value;
  for (const [key, member] of Object.entries(value)) {
    if (isForbiddenKey(key)) fail("EXPRESSION_VALUE", `A literal cannot have the key "${key}"`);
    checkedLiteral(member);
  }
  return Object.freeze(value);
}
