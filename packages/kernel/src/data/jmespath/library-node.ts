// The node types that the parser of `@jmespath-community/jmespath` returns, as far as they are used. The package does not export
// their names. Only `compiler.ts` reads them.

import type { Json } from "../../model/json.ts";

export type LibraryNode =
  | { readonly type: "Field"; readonly name: string }
  | { readonly type: "Literal"; readonly value: Json }
  | { readonly type: "Index"; readonly value: number }
  | LibrarySlice
  | { readonly type: "Identity" | "Current" | "Root" }
  | { readonly type: "Variable"; readonly name: string }
  | { readonly type: "NotExpression" | "ExpressionReference"; readonly child: LibraryNode }
  | LibraryFlatten
  | { readonly type: "Unary"; readonly operator: "Plus" | "Minus"; readonly operand: LibraryNode }
  | LibraryBinary
  | {
      readonly type: "Comparator";
      readonly name: LibraryComparison;
      readonly left: LibraryNode;
      readonly right: LibraryNode;
    }
  | {
      readonly type: "Arithmetic";
      readonly operator: LibraryArithmetic;
      readonly left: LibraryNode;
      readonly right: LibraryNode;
    }
  | {
      readonly type: "FilterProjection";
      readonly left: LibraryNode;
      readonly condition: LibraryNode;
      readonly right: LibraryNode;
    }
  | { readonly type: "MultiSelectList"; readonly children: readonly LibraryNode[] }
  | { readonly type: "MultiSelectHash"; readonly children: readonly LibraryPair[] }
  | LibraryCall
  | LibraryLet
  | { readonly type: "Binding"; readonly variable: string; readonly reference: LibraryNode }
  | {
      readonly type: "Ternary";
      readonly condition: LibraryNode;
      readonly trueExpr: LibraryNode;
      readonly falseExpr: LibraryNode;
    };

export interface LibraryBinary {
  readonly type:
    | "AndExpression"
    | "OrExpression"
    | "Pipe"
    | "IndexExpression"
    | "Subexpression"
    | "Projection"
    | "ValueProjection";
  readonly left: LibraryNode;
  readonly right: LibraryNode;
}

export interface LibraryFlatten {
  readonly type: "Flatten";
  readonly child: LibraryNode;
}

export interface LibrarySlice {
  readonly type: "Slice";
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;
}

export interface LibraryCall {
  readonly type: "Function";
  readonly name: string;
  readonly children: readonly LibraryNode[];
}

export interface LibraryLet {
  readonly type: "LetExpression";
  readonly bindings: readonly LibraryNode[];
  readonly expression: LibraryNode;
}

export interface LibraryPair {
  readonly name: string;
  readonly value: LibraryNode;
}

export type LibraryComparison = "EQ" | "NE" | "LT" | "LTE" | "GT" | "GTE";
export type LibraryArithmetic = "Plus" | "Minus" | "Multiply" | "Star" | "Divide" | "Modulo" | "Div";

/** A token of the library's lexer; `type` is the name of its kind. */
export interface LibraryToken {
  readonly type: string;
  readonly value: Json;
  readonly start: number;
}
