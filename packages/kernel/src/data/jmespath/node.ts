// The tree that is evaluated: small, frozen, and built once when an expression is parsed.
//
// Chains that a parser nests to the left (`a.b.c`, `a | b | c`, `a + b - c`) are flat here, so neither evaluation nor analysis
// recurses along them; `source-normalizer.ts` bounds the depth of a tree.

import type { Json } from "../../model/json.ts";
import type { FunctionDefinition } from "./functions/function-definition.ts";

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "//";

export interface Operation<Operator> {
  readonly operator: Operator;
  readonly operand: ExpressionNode;
}

export interface SliceBounds {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number;
}

export interface HashEntry {
  readonly key: string;
  readonly value: ExpressionNode;
}

export type ExpressionNode =
  | { readonly kind: "current" }
  | { readonly kind: "root" }
  | { readonly kind: "literal"; readonly value: Json }
  /** Fields and indexes, read one after the other from the current value. */
  | { readonly kind: "path"; readonly steps: readonly (string | number)[] }
  /** Each link is applied to the value of the one before; null ends the chain. */
  | { readonly kind: "chain"; readonly base: ExpressionNode; readonly links: readonly ExpressionNode[] }
  | { readonly kind: "pipe"; readonly parts: readonly ExpressionNode[] }
  | { readonly kind: "or"; readonly parts: readonly ExpressionNode[] }
  | { readonly kind: "and"; readonly parts: readonly ExpressionNode[] }
  | { readonly kind: "not"; readonly operand: ExpressionNode }
  | { readonly kind: "compare"; readonly first: ExpressionNode; readonly rest: readonly Operation<Comparison>[] }
  | { readonly kind: "arithmetic"; readonly first: ExpressionNode; readonly rest: readonly Operation<Arithmetic>[] }
  | { readonly kind: "sign"; readonly negative: boolean; readonly operand: ExpressionNode }
  | {
      readonly kind: "ternary";
      readonly condition: ExpressionNode;
      readonly whenTrue: ExpressionNode;
      readonly whenFalse: ExpressionNode;
    }
  | { readonly kind: "list"; readonly items: readonly ExpressionNode[] }
  | { readonly kind: "hash"; readonly entries: readonly HashEntry[] }
  | { readonly kind: "slice"; readonly bounds: SliceBounds }
  | { readonly kind: "flatten"; readonly operand: ExpressionNode }
  /** `overText`: a slice of a string is not a projection, so the following links apply to the string itself. */
  | {
      readonly kind: "project";
      readonly operand: ExpressionNode;
      readonly each: ExpressionNode;
      readonly overText: boolean;
    }
  | { readonly kind: "project-values"; readonly operand: ExpressionNode; readonly each: ExpressionNode }
  | {
      readonly kind: "filter";
      readonly operand: ExpressionNode;
      readonly condition: ExpressionNode;
      readonly each: ExpressionNode;
    }
  /** Variables are resolved when the expression is parsed: binding i goes to slot `firstSlot + i`. */
  | {
      readonly kind: "let";
      readonly firstSlot: number;
      readonly values: readonly ExpressionNode[];
      readonly body: ExpressionNode;
    }
  | { readonly kind: "variable"; readonly slot: number }
  | { readonly kind: "unbound"; readonly name: string }
  | { readonly kind: "first-non-null"; readonly items: readonly ExpressionNode[] }
  | CallNode;

export interface CallNode {
  readonly kind: "call";
  readonly callee: FunctionDefinition;
  readonly args: readonly ExpressionNode[];
  /** The expression after `&`, for the functions that take one. */
  readonly by: ExpressionNode | undefined;
}
