// A compiled schema of a user. It is interpreted instead of compiled to code, so that every step of a check costs fuel.
//
//   C1. Compiling takes time and memory in proportion to the schema. The target of a reference is compiled when a value first
//       reaches it, so references never make the compiler recurse.
//   C2. The schema was checked before (`schema-problems.ts`), so its keywords have values of the right shape.

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@segno/kernel";

import { schemaDialect, type Dialect } from "./dialect.ts";
import { ConstantKeys, EqualityKeys } from "./equality-keys.ts";
import { Evaluated } from "./evaluated.ts";
import { ARRAY_KEYWORDS } from "./keywords/array-keywords.ts";
import { LOGIC_KEYWORDS } from "./keywords/logic-keywords.ts";
import { OBJECT_KEYWORDS } from "./keywords/object-keywords.ts";
import { SCALAR_KEYWORDS } from "./keywords/scalar-keywords.ts";
import { UNEVALUATED_KEYWORDS } from "./keywords/unevaluated-keywords.ts";
import type { KeywordCompiler, SubschemaCompiler } from "./keyword-compiler.ts";
import { Patterns } from "./linear-pattern.ts";
import { MapKeys } from "./map-keys.ts";
import { Mismatches } from "./mismatches.ts";
import { ReferenceTargets } from "./reference-targets.ts";
import { SchemaFuel } from "./schema-fuel.ts";
import { apply, refuse, type SchemaNode, type SchemaVisit } from "./schema-node.ts";
import { subSchemas } from "./schema-walk.ts";

/** In the order in which they are applied; keywords that need to know what was evaluated come last. */
const COMPILERS: readonly KeywordCompiler[] = [
  ...SCALAR_KEYWORDS,
  ...LOGIC_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...UNEVALUATED_KEYWORDS,
];

const ALWAYS: SchemaNode = { keywords: [] };
const NEVER: SchemaNode = { keywords: [(_, visit) => refuse(visit, "no value is allowed here")] };

class SchemaCompiler implements SubschemaCompiler {
  readonly dialect: Dialect;
  readonly constants: ConstantKeys;
  readonly patterns: Patterns = new Patterns();
  readonly #targets: ReferenceTargets;
  readonly #nodes = new Map<JsonObject, SchemaNode>();

  constructor(root: JsonObject) {
    this.dialect = schemaDialect(root) ?? "2020-12";
    this.constants = new ConstantKeys(root);
    this.#targets = new ReferenceTargets(root);
  }

  node(schema: Json | undefined): SchemaNode {
    if (!isJsonObject(schema)) return schema === false ? NEVER : ALWAYS;
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const keywords = COMPILERS.map((compile) => compile(schema, this)).filter((keyword) => keyword !== undefined);
    const node: SchemaNode = { keywords };
    this.#nodes.set(schema, node);
    return node;
  }

  nodes(schemas: Json | undefined): readonly SchemaNode[] {
    return isJsonArray(schemas) ? schemas.map((schema) => this.node(schema)) : [];
  }

  nodesByKey(schemas: Json | undefined): ReadonlyMap<string, SchemaNode> {
    if (!isJsonObject(schemas)) return new Map();
    return new Map(Object.keys(schemas).map((key) => [key, this.node(schemas[key])]));
  }

  target(reference: Json): SchemaNode {
    const schema = this.#targets.resolve(reference);
    if (schema === undefined) throw new Error(`the schema has no part at ${JSON.stringify(reference)}`);
    return this.node(schema);
  }
}

export class CompiledSchema {
  readonly #compiler: SchemaCompiler;
  readonly #root: SchemaNode;
  readonly #constants: ConstantKeys;
  readonly #tracks: boolean;

  constructor(schema: JsonObject) {
    const compiler = new SchemaCompiler(schema);
    this.#compiler = compiler;
    this.#root = compiler.node(schema);
    this.#constants = compiler.constants;
    this.#tracks = [...subSchemas(schema)].some(
      ({ schema: { unevaluatedItems, unevaluatedProperties } }) =>
        unevaluatedItems !== undefined || unevaluatedProperties !== undefined,
    );
  }

  /** Returns an empty list if the value fits. Throws if the check needs more fuel than it has. */
  mismatches(value: Json): Mismatches {
    return this.#mismatches(this.#root, value, new SchemaFuel(value));
  }

  /** Checks against a part of the schema. Several checks share the fuel. */
  partMismatches(part: JsonObject, value: Json, fuel: SchemaFuel): Mismatches {
    return this.#mismatches(this.#compiler.node(part), value, fuel);
  }

  #mismatches(node: SchemaNode, value: Json, fuel: SchemaFuel): Mismatches {
    const mismatches = new Mismatches();
    const visit: SchemaVisit = {
      fuel,
      equality: new EqualityKeys(fuel, this.#constants),
      keys: new MapKeys(fuel),
      depth: 0,
      location: undefined,
      mismatches,
      evaluated: this.#tracks ? new Evaluated() : undefined,
    };
    apply(node, value, visit);
    return mismatches;
  }
}
