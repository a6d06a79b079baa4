// Keywords that apply other schemas to the same value.

import type { Json } from "@segno/kernel";

import type { KeywordCompiler } from "../keyword-compiler.ts";
import { Evaluated } from "../evaluated.ts";
import { Mismatches } from "../mismatches.ts";
import { apply, refuse, type Keyword, type SchemaNode, type SchemaVisit } from "../schema-node.ts";

export const LOGIC_KEYWORDS: readonly KeywordCompiler[] = [
  ({ $ref: reference }, compiler) => refKeyword(reference, (to) => compiler.target(to)),
  ({ $dynamicRef: reference }, compiler) => refKeyword(reference, (to) => compiler.target(to)),
  ({ not: schema }, compiler) => {
    if (schema === undefined) return undefined;
    const node = compiler.node(schema);
    return (value, visit) =>
      !apply(node, value, { ...withoutReports(visit), depth: visit.depth + 1, evaluated: fresh(visit) }) ||
      refuse(visit, "must NOT be valid");
  },
  ({ anyOf: schemas }, compiler) => (schemas === undefined ? undefined : anyOf(compiler.nodes(schemas))),
  ({ oneOf: schemas }, compiler) => (schemas === undefined ? undefined : oneOf(compiler.nodes(schemas))),
  ({ allOf: schemas }, compiler) => (schemas === undefined ? undefined : allOf(compiler.nodes(schemas))),
  ({ if: condition, then: whenTrue, else: whenFalse }, compiler) =>
    condition === undefined
      ? undefined
      : ifKeyword(compiler.node(condition), compiler.node(whenTrue), compiler.node(whenFalse)),
];

/** Applies a schema to the same value. If the value fits, the parts that the schema evaluated count as evaluated. */
export function applyBeside(node: SchemaNode, value: Json, visit: SchemaVisit): boolean {
  const evaluated = fresh(visit);
  if (!apply(node, value, { ...visit, depth: visit.depth + 1, evaluated })) return false;
  if (evaluated !== undefined) visit.evaluated!.addAll(evaluated, visit.fuel);
  return true;
}

function fresh({ evaluated }: SchemaVisit): Evaluated | undefined {
  return evaluated === undefined ? undefined : new Evaluated();
}

/** Applies a schema for its verdict only. */
export function withoutReports(visit: SchemaVisit): SchemaVisit {
  return visit.mismatches === undefined ? visit : { ...visit, mismatches: undefined };
}

function refKeyword(reference: Json | undefined, target: (reference: Json) => SchemaNode): Keyword | undefined {
  if (reference === undefined) return undefined;
  let node: SchemaNode | undefined;
  return (value, visit) => applyBeside((node ??= target(reference)), value, visit);
}

function allOf(nodes: readonly SchemaNode[]): Keyword {
  return (value, visit) => {
    let fits = true;
    for (const node of nodes) {
      if (applyBeside(node, value, visit)) continue;
      fits = false;
      if (visit.mismatches === undefined || visit.mismatches.isFull) return false;
    }
    return fits;
  };
}

/** Reports the mismatches of the branches only if no branch fits. With `unevaluated…`, every branch has to be applied. */
function anyOf(nodes: readonly SchemaNode[]): Keyword {
  return (value, visit) => {
    const inner = visit.mismatches === undefined ? undefined : new Mismatches();
    let fits = false;
    for (const node of nodes) {
      if (applyBeside(node, value, { ...visit, mismatches: inner })) fits = true;
      if (fits && visit.evaluated === undefined) return true;
    }
    return fits || refuseAfter(visit, inner, "must match a schema in anyOf");
  };
}

function oneOf(nodes: readonly SchemaNode[]): Keyword {
  return (value, visit) => {
    const inner = visit.mismatches === undefined ? undefined : new Mismatches();
    let fitting = 0;
    for (const node of nodes) {
      if (applyBeside(node, value, { ...visit, mismatches: inner })) fitting++;
      if (fitting > 1) return refuse(visit, "must match exactly one schema in oneOf");
    }
    return fitting === 1 || refuseAfter(visit, inner, "must match exactly one schema in oneOf");
  };
}

function refuseAfter(visit: SchemaVisit, inner: Mismatches | undefined, message: string): false {
  if (inner !== undefined) visit.mismatches!.addAll(inner);
  return refuse(visit, message);
}

function ifKeyword(condition: SchemaNode, whenTrue: SchemaNode, whenFalse: SchemaNode): Keyword {
  return (value, visit) => {
    const isTrue = applyBeside(condition, value, withoutReports(visit));
    if (applyBeside(isTrue ? whenTrue : whenFalse, value, visit)) return true;
    return refuse(visit, `must match "${isTrue ? "then" : "else"}" schema`);
  };
}
