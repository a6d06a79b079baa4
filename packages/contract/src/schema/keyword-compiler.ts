// The compilers of keywords, and the part of the schema compiler that they call.

import type { Json, JsonObject } from "@segno/kernel";

import type { Dialect } from "./dialect.ts";
import type { ConstantKeys } from "./equality-keys.ts";
import type { Patterns } from "./linear-pattern.ts";
import type { Keyword, SchemaNode } from "./schema-node.ts";

/** Compiles the schemas inside a schema. */
export interface SubschemaCompiler {
  readonly dialect: Dialect;
  readonly constants: ConstantKeys;
  readonly patterns: Patterns;
  node(schema: Json | undefined): SchemaNode;
  nodes(schemas: Json | undefined): readonly SchemaNode[];
  /** By key. Inherited keys are ignored. */
  nodesByKey(schemas: Json | undefined): ReadonlyMap<string, SchemaNode>;
  /** The target of a reference. */
  target(reference: Json): SchemaNode;
}

/** Compiles a keyword of a schema into a function. Returns nothing if the keyword has no effect there. */
export type KeywordCompiler = (schema: JsonObject, compiler: SubschemaCompiler) => Keyword | undefined;
