// Keywords of lists.

import { isJsonArray, type Json, type JsonObject } from "@segno/kernel";

import type { KeywordCompiler, SubschemaCompiler } from "../keyword-compiler.ts";
import { Evaluated } from "../evaluated.ts";
import { locationInside } from "../mismatches.ts";
import { apply, refuse, type Keyword, type SchemaNode, type SchemaVisit } from "../schema-node.ts";
import { withoutReports } from "./logic-keywords.ts";

export const ARRAY_KEYWORDS: readonly KeywordCompiler[] = [
  ({ maxItems: most }) =>
    ofCount(
      most,
      (count, limit) => count <= limit,
      (limit) => `must NOT have more than ${limit} items`,
    ),
  ({ minItems: least }) =>
    ofCount(
      least,
      (count, limit) => count >= limit,
      (limit) => `must NOT have fewer than ${limit} items`,
    ),
  (schema, compiler) => leading(schema, compiler),
  (schema, compiler) => following(schema, compiler),
  (schema, compiler) => (schema["contains"] === undefined ? undefined : containing(schema, compiler)),
  ({ uniqueItems: isUnique }) => (isUnique === true ? ofList(unique) : undefined),
];

export function ofList(check: (list: readonly Json[], visit: SchemaVisit) => boolean): Keyword {
  return (value, visit) => !isJsonArray(value) || check(value, visit);
}

function ofCount(
  limit: Json | undefined,
  fits: (count: number, limit: number) => boolean,
  message: (limit: number) => string,
): Keyword | undefined {
  if (typeof limit !== "number") return undefined;
  return ofList((list, visit) => fits(list.length, limit) || refuse(visit, message(limit)));
}

/** Applies a schema to an item or to the value of a key. */
export function applyInside(node: SchemaNode, value: Json, visit: SchemaVisit, key: string | number): boolean {
  const evaluated = visit.evaluated === undefined ? undefined : new Evaluated();
  const location = locationInside(visit.location, key);
  return apply(node, value, { ...visit, depth: visit.depth + 1, location, evaluated });
}

/** The items that have their own schema: `prefixItems`, or a list of `items` in draft-07. */
function leadingSchemas({ items, prefixItems }: JsonObject, { dialect }: SubschemaCompiler): Json | undefined {
  if (dialect === "2020-12") return prefixItems;
  return isJsonArray(items) ? items : undefined;
}

function leading(schema: JsonObject, compiler: SubschemaCompiler): Keyword | undefined {
  const schemas = leadingSchemas(schema, compiler);
  if (!isJsonArray(schemas)) return undefined;
  const nodes = compiler.nodes(schemas);
  return ofList((list, visit) => {
    visit.evaluated?.itemsUpTo(Math.min(nodes.length, list.length));
    return everyItem(list, 0, nodes.length, (index) => nodes[index]!, visit);
  });
}

function following(schema: JsonObject, compiler: SubschemaCompiler): Keyword | undefined {
  const before = leadingSchemas(schema, compiler);
  const start = isJsonArray(before) ? before.length : 0;
  const isTuple = compiler.dialect === "draft-07" && isJsonArray(schema["items"]);
  const rest = isTuple ? schema["additionalItems"] : schema["items"];
  if (rest === undefined) return undefined;
  const node = compiler.node(rest);
  return ofList((list, visit) => {
    if (rest === false) return list.length <= start || refuse(visit, `must NOT have more than ${start} items`);
    visit.evaluated?.itemsUpTo(list.length);
    return everyItem(list, start, list.length, () => node, visit);
  });
}

function everyItem(
  list: readonly Json[],
  start: number,
  end: number,
  nodeOf: (index: number) => SchemaNode,
  visit: SchemaVisit,
): boolean {
  let fits = true;
  for (let index = start; index < Math.min(end, list.length); index++) {
    if (applyInside(nodeOf(index), list[index]!, visit, index)) continue;
    fits = false;
    if (visit.mismatches === undefined || visit.mismatches.isFull) return false;
  }
  return fits;
}

function containing(schema: JsonObject, compiler: SubschemaCompiler): Keyword {
  const node = compiler.node(schema["contains"]);
  const { minContains: least = 1, maxContains: most } = compiler.dialect === "2020-12" ? schema : {};
  const [atLeast, atMost] = [Number(least), most === undefined ? Number.POSITIVE_INFINITY : Number(most)];
  const limit = most === undefined ? "" : ` and no more than ${atMost}`;
  const message = `must contain at least ${atLeast}${limit} valid item(s)`;
  return ofList((list, visit) => {
    let count = 0;
    list.forEach((item, index) => {
      if (!applyInside(node, item, withoutReports(visit), index)) return;
      count++;
      visit.evaluated?.item(index);
    });
    return (count >= atLeast && count <= atMost) || refuse(visit, message);
  });
}

function unique(list: readonly Json[], visit: SchemaVisit): boolean {
  const repetition = visit.equality.repetition(list, visit.depth);
  if (repetition === undefined) return true;
  const [earlier, later] = repetition;
  return refuse(visit, `must NOT have duplicate items (items ## ${earlier} and ${later} are identical)`);
}
