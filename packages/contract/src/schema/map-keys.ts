// Lists the keys of the maps in one check. The keys of a large map are listed once, because V8 needs much longer for listing the keys
// of a large map than for going through the list.

import type { JsonObject } from "@segno/kernel";

import type { SchemaFuel } from "./schema-fuel.ts";

/** The keys of a map with fewer are listed again each time, which is faster than looking the list up. */
const LARGE_MIN = 16;

export class MapKeys {
  readonly #fuel: SchemaFuel;
  #ofLarge: Map<JsonObject, readonly string[]> | undefined;

  constructor(fuel: SchemaFuel) {
    this.#fuel = fuel;
  }

  /** Every call costs fuel, because its caller goes through the keys. */
  of(map: JsonObject): readonly string[] {
    const keys = this.#ofLarge?.get(map) ?? this.#list(map);
    this.#fuel.keys(keys.length);
    return keys;
  }

  #list(map: JsonObject): readonly string[] {
    const keys = Object.keys(map);
    if (keys.length >= LARGE_MIN) (this.#ofLarge ??= new Map()).set(map, keys);
    return keys;
  }
}
