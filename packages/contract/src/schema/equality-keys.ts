// Gives each value a key, which is a short text: equal values have the same key, and different values have different keys.
//
//   E1. The shape of a list or a map is its text, with keys in the place of the lists and maps inside it. A short shape is the key
//       itself. A long shape gets a number, which is the key, and is made once in a check, however many schemas ask for it. So all
//       shapes together are in proportion to the value, however deep the value is.
//   E2. Equality is that of JSON: keys are sorted, and 1.0 is written as 1. Numbers belong to whole shapes and not to hashes, so
//       no two values can collide.
//   E3. The shapes of the schema have the lowest numbers, which all checks share. So a check does not look at constants.
//   E4. Fuel is paid before the work.

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@segno/kernel";

import type { SchemaFuel } from "./schema-fuel.ts";
import { SchemaTooDeep } from "./schema-too-deep.ts";

type Container = readonly Json[] | JsonObject;

/** Two items of a list that are equal. */
type Repetition = readonly [earlier: number, later: number];

/** A short shape is made again each time, which is faster than looking it up. */
const SHORT_MAX = 64;

/** Making shapes recurses. The schemas around the value count too, so that the stack has room for both. */
const DEPTH_MAX = 1000;

/** The keys of the values in a schema. They are made when the first list or map is compared, which most schemas never do. */
export class ConstantKeys {
  readonly #schema: JsonObject;
  #shapes: Shapes | undefined;

  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  /** The constant must be a part of the schema. */
  of(constant: Json): string {
    return isContainer(constant) ? this.shapes.keyOf(constant, 0) : JSON.stringify(constant);
  }

  get shapes(): Shapes {
    if (this.#shapes !== undefined) return this.#shapes;
    const shapes = new Shapes(undefined, new Map());
    // All at once, because a check could already have given another number to the shape of a later constant.
    shapes.keyOf(this.#schema, 0);
    return (this.#shapes = shapes);
  }
}

/** The keys of the values in one check. */
export class EqualityKeys {
  readonly #fuel: SchemaFuel;
  readonly #constants: ConstantKeys;
  #repetitions: Map<readonly Json[], Repetition | undefined> | undefined;
  #shapes: Shapes | undefined;

  constructor(fuel: SchemaFuel, constants: ConstantKeys) {
    this.#fuel = fuel;
    this.#constants = constants;
  }

  /** The depth is the number of schemas that are being applied. */
  of(value: Json, depth: number): string {
    if (!isContainer(value)) return scalarKey(value, this.#fuel);
    this.#shapes ??= new Shapes(this.#fuel, this.#constants.shapes.keys);
    return this.#shapes.keyOf(value, depth);
  }

  /** The first item that is equal to an earlier one. A list of n items takes n steps, and only once in a check. */
  repetition(list: readonly Json[], depth: number): Repetition | undefined {
    this.#repetitions ??= new Map();
    if (!this.#repetitions.has(list)) this.#repetitions.set(list, this.#findRepetition(list, depth));
    return this.#repetitions.get(list);
  }

  #findRepetition(list: readonly Json[], depth: number): Repetition | undefined {
    this.#fuel.keys(list.length);
    const seen = new Map<string, number>();
    for (const [index, item] of list.entries()) {
      const key = this.of(item, depth);
      const earlier = seen.get(key);
      if (earlier !== undefined) return [earlier, index];
      seen.set(key, index);
    }
    return undefined;
  }
}

/** Makes the keys of lists and maps. */
class Shapes {
  readonly #fuel: SchemaFuel | undefined;
  readonly #lower: ReadonlyMap<string, string>;
  readonly #byShape = new Map<string, string>();
  readonly #byValue = new Map<Container, string>();

  /** Shapes in `lower` have their keys already. Without fuel, the value is a schema, and only the stack limits its depth. */
  constructor(fuel: SchemaFuel | undefined, lower: ReadonlyMap<string, string>) {
    this.#fuel = fuel;
    this.#lower = lower;
  }

  /** The keys of long shapes, by shape. */
  get keys(): ReadonlyMap<string, string> {
    return this.#byShape;
  }

  keyOf(value: Container, depth: number): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    if (this.#fuel !== undefined && depth > DEPTH_MAX)
      throw new SchemaTooDeep(
        `the value cannot be compared: schemas, lists and maps nest more than ${DEPTH_MAX} levels deep here`,
      );
    const shape = isJsonArray(value) ? this.#listShape(value, depth) : this.#mapShape(value, depth);
    if (shape.length <= SHORT_MAX) return shape;
    const key = this.#lower.get(shape) ?? this.#byShape.get(shape) ?? this.#newKey(shape);
    this.#byValue.set(value, key);
    return key;
  }

  /** No scalar and no shape begins like this. */
  #newKey(shape: string): string {
    const key = `#${this.#lower.size + this.#byShape.size}`;
    this.#byShape.set(shape, key);
    return key;
  }

  #listShape(list: readonly Json[], depth: number): string {
    this.#fuel?.keys(list.length);
    const parts: string[] = [];
    for (const item of list) parts.push(this.#part(item, depth));
    return `[${parts.join(",")}]`;
  }

  #mapShape(map: JsonObject, depth: number): string {
    const keys = Object.keys(map);
    this.#fuel?.keys(keys.length);
    const parts: string[] = [];
    for (const key of keys.toSorted()) parts.push(`${scalarKey(key, this.#fuel)}:${this.#part(map[key]!, depth)}`);
    return `{${parts.join(",")}}`;
  }

  #part(value: Json, depth: number): string {
    return isContainer(value) ? this.keyOf(value, depth + 1) : scalarKey(value, this.#fuel);
  }
}

function isContainer(value: Json): value is Container {
  return isJsonArray(value) || isJsonObject(value);
}

function scalarKey(value: Json, fuel: SchemaFuel | undefined): string {
  if (typeof value === "string") fuel?.text(value.length);
  return JSON.stringify(value);
}
