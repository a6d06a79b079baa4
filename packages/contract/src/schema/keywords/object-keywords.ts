// Keywords for objects. Inherited keys are ignored.

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@segno/kernel";

import type { KeywordCompiler, SubschemaCompiler } from "../keyword-compiler.ts";
import type { LinearPattern } from "../linear-pattern.ts";
import { apply, refuse, type Keyword, type SchemaNode, type SchemaVisit } from "../schema-node.ts";
import { applyInside } from "./array-keywords.ts";
import { applyBeside, withoutReports } from "./logic-keywords.ts";

export const OBJECT_KEYWORDS: readonly KeywordCompiler[] = [
  ({ maxProperties: most }) =>
    ofCount(
      most,
      (count, limit) => count <= limit,
      (limit) => `must NOT have more than ${limit} properties`,
    ),
  ({ minProperties: least }) =>
    ofCount(
      least,
      (count, limit) => count >= limit,
      (limit) => `must NOT have fewer than ${limit} properties`,
    ),
  ({ required: keys }) => (isJsonArray(keys) ? requiredKeyword(keys.map(String)) : undefined),
  ({ propertyNames: schema }, compiler) => (schema === undefined ? undefined : naming(compiler.node(schema))),
  (schema, compiler) => additional(schema, compiler),
  ({ dependencies, dependentRequired, dependentSchemas }, compiler) =>
    dependenciesKeyword([dependencies, dependentRequired, dependentSchemas], compiler),
  ({ properties }, compiler) =>
    properties === undefined ? undefined : knownProperties(compiler.nodesByKey(properties)),
  ({ patternProperties }, compiler) =>
    isJsonObject(patternProperties) ? matching(patternProperties, compiler) : undefined,
];

export function ofObject(check: (object: JsonObject, visit: SchemaVisit) => boolean): Keyword {
  return (value, visit) => !isJsonObject(value) || check(value, visit);
}

function ofCount(
  limit: Json | undefined,
  fits: (count: number, limit: number) => boolean,
  message: (limit: number) => string,
): Keyword | undefined {
  if (typeof limit !== "number") return undefined;
  return ofObject((object, visit) => fits(visit.keys.of(object).length, limit) || refuse(visit, message(limit)));
}

/** Whether every key passes. If the caller wants only the verdict, the first key that does not pass ends the check. */
export function everyKey(keys: Iterable<string>, visit: SchemaVisit, fits: (key: string) => boolean): boolean {
  let all = true;
  for (const key of keys) {
    if (fits(key)) continue;
    all = false;
    if (visit.mismatches === undefined || visit.mismatches.isFull) return false;
  }
  return all;
}

function requiredKeyword(keys: readonly string[]): Keyword {
  return ofObject((object, visit) => {
    visit.fuel.keys(keys.length);
    return everyKey(keys, visit, (key) => Object.hasOwn(object, key) || refuse(visit, "is missing", key));
  });
}

function naming(node: SchemaNode): Keyword {
  return ofObject((object, visit) =>
    everyKey(
      visit.keys.of(object),
      visit,
      (key) => apply(node, key, withoutReports(visit)) || refuse(visit, "property name must be valid", key),
    ),
  );
}

function additional(schema: JsonObject, compiler: SubschemaCompiler): Keyword | undefined {
  const { additionalProperties, properties, patternProperties } = schema;
  if (additionalProperties === undefined) return undefined;
  const node = compiler.node(additionalProperties);
  const own = new Set(isJsonObject(properties) ? Object.keys(properties) : []);
  const patterns = compilePatterns(patternProperties, compiler);
  return ofObject((object, visit) =>
    everyKey(visit.keys.of(object), visit, (key) => {
      if (own.has(key) || patterns.some((pattern) => matches(pattern, key, visit))) return true;
      if (additionalProperties === false) return refuse(visit, "is not a known key", key);
      visit.evaluated?.key(key);
      return applyInside(node, object[key]!, visit, key);
    }),
  );
}

function compilePatterns(
  patternProperties: Json | undefined,
  { patterns }: SubschemaCompiler,
): readonly LinearPattern[] {
  return isJsonObject(patternProperties) ? Object.keys(patternProperties).map((source) => patterns.get(source)) : [];
}

function matches(pattern: LinearPattern, key: string, { fuel }: SchemaVisit): boolean {
  fuel.pattern(key.length, pattern.size);
  return pattern.test(key);
}

/** Handles both forms, because `dependencies` may have lists and schemas side by side. */
function dependenciesKeyword(maps: readonly (Json | undefined)[], compiler: SubschemaCompiler): Keyword | undefined {
  const entries = maps.flatMap((map) => (isJsonObject(map) ? Object.entries(map) : []));
  if (entries.length === 0) return undefined;
  const needs = entries.map(([key, need]) => ({
    key,
    keys: isJsonArray(need) ? need.map(String) : [],
    node: compiler.node(isJsonArray(need) ? true : need),
  }));
  return ofObject((object, visit) => {
    visit.fuel.keys(needs.length);
    let fits = true;
    for (const { key, keys, node } of needs) {
      if (!Object.hasOwn(object, key)) continue;
      visit.fuel.keys(keys.length);
      const message = `is missing, and \`${key}\` needs it`;
      const hasAll = everyKey(keys, visit, (each) => Object.hasOwn(object, each) || refuse(visit, message, each));
      if (!applyBeside(node, object, visit) || !hasAll) fits = false;
      if (!fits && (visit.mismatches === undefined || visit.mismatches.isFull)) return false;
    }
    return fits;
  });
}

function knownProperties(nodes: ReadonlyMap<string, SchemaNode>): Keyword {
  return ofObject((object, visit) => {
    visit.fuel.keys(nodes.size);
    return everyKey(nodes.keys(), visit, (key) => {
      if (!Object.hasOwn(object, key)) return true;
      visit.evaluated?.key(key);
      return applyInside(nodes.get(key)!, object[key]!, visit, key);
    });
  });
}

function matching(patternProperties: JsonObject, compiler: SubschemaCompiler): Keyword {
  const rules = Object.entries(patternProperties).map(([source, schema]) => ({
    pattern: compiler.patterns.get(source),
    node: compiler.node(schema),
  }));
  return ofObject((object, visit) =>
    everyKey(visit.keys.of(object), visit, (key) => {
      let fits = true;
      for (const { pattern, node } of rules) {
        if (!matches(pattern, key, visit)) continue;
        visit.evaluated?.key(key);
        if (!applyInside(node, object[key]!, visit, key)) fits = false;
      }
      return fits;
    }),
  );
}
