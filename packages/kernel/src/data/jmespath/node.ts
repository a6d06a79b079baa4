// The tree that is evaluated: our own, small, frozen, and made once when an expression is read.
//
// Chains that a parser nests to the left (`a.b.c`, `a | b | c`, `a + b - c`) are flat here, so neither evaluation nor
// analysis recurses along them; the depth of a tree is bounded by what `canonical-source.ts` lets through.

import type { Json } from "../../model/json.ts";
import type { FunctionDefinition } from "./functions/function-definition.ts";

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "//";

export interface Operation<Operator> {
  readonly operator: Operator;
  readonly operand: Node;
}

export interface SliceBounds {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number;
}

export interface HashEntry {
  readonly key: string;
  readonly value: Node;
}

export type Node =
  | { readonly kind: "current" }
  | { readonly kind: "root" }
  | { readonly kind: "literal"; readonly value: Json }
  /** Fields and indexes, read one after the other from the current value. */
  | { readonly kind: "path"; readonly steps: readonly (string | number)[] }
  /** Each link is applied to the value of the one before; null ends it. */
  | { readonly kind: "chain"; readonly base: Node; readonly links: readonly Node[] }
  | { readonly kind: "pipe"; readonly parts: readonly Node[] }
  | { readonly kind: "or"; readonly parts: readonly Node[] }
  | { readonly kind: "and"; readonly parts: readonly Node[] }
  | { readonly kind: "not"; readonly operand: Node }
  | { readonly kind: "compare"; readonly first: Node; readonly rest: readonly Operation<Comparison>[] }
  | { readonly kind: "arithmetic"; readonly first: Node; readonly rest: readonly Operation<Arithmetic>[] }
  | { readonly kind: "sign"; readonly negative: boolean; readonly operand: Node }
  | { readonly kind: "ternary"; readonly condition: Node; readonly whenTrue: Node; readonly whenFalse: Node }
  | { readonly kind: "list"; readonly items: readonly Node[] }
  | { readonly kind: "hash"; readonly entries: readonly HashEntry[] }
  | { readonly kind: "slice"; readonly bounds: SliceBounds }
  | { readonly kind: "flatten"; readonly operand: Node }
  /** `overText`: a slice of a string is not a projection, what follows applies to the string itself. */
  | { readonly kind: "project"; readonly operand: Node; readonly each: Node; readonly overText: boolean }
  | { readonly kind: "project-values"; readonly operand: Node; readonly each: Node }
  | { readonly kind: "filter"; readonly operand: Node; readonly condition: Node; readonly each: Node }
  /** Variables are resolved when the expression is read: binding i goes to slot `firstSlot + i`. */
  | { readonly kind: "let"; readonly firstSlot: number; readonly values: readonly Node[]; readonly body: Node }
  | { readonly kind: "variable"; readonly slot: number }
  | { readonly kind: "unbound"; readonly name: string }
  | { readonly kind: "first-non-null"; readonly items: readonly Node[] }
  | CallNode;

export interface CallNode {
  readonly kind: "call";
  readonly callee: FunctionDefinition;
  readonly args: readonly Node[];
  /** The expression after `&`, for the functions that take one. */
  readonly by: Node | undefined;
}
