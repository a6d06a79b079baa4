// The variables after a number of writes: the same result as calling `capture` for one write after the other.
//
//   V1. Every object and every list is copied once, however many writes change it. Copying for each write would make reading the
//       writes of n steps take n² time.
//   V2. Input is never changed: neither the first variables nor a written value.
//   V3. A write that cannot be made changes nothing: its step has failed, so no step sees it. If merges without an order disagree,
//       the last one in plan order wins (ruling 51).

import { isForbiddenKey, isJsonArray, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Write } from "./capture.ts";
import type { VariablePath } from "./variable-path.ts";

type OwnObject = Record<string, Json>;

export class WrittenVariables {
  #root: Json;
  /** Objects and lists that were created here and may be changed. */
  readonly #own = new Set<Json>();

  constructor(variables: Json) {
    this.#root = variables;
  }

  /** No write may follow. */
  get value(): Json {
    return this.#root;
  }

  write({ path, merge, value }: Write): void {
    const current = this.#read(path);
    if (merge === "replace") this.#put(path, value);
    else if (merge === "append") this.#append(path, current, value);
    else this.#merge(path, current, value);
  }

  #append(path: VariablePath, current: Json | undefined, value: Json): void {
    if (current !== undefined && current !== null && !isJsonArray(current)) return;
    if (current !== undefined && this.#own.has(current)) return void (current as Json[]).push(value);
    const list = isJsonArray(current) ? [...current, value] : [value];
    this.#own.add(list);
    this.#put(path, list);
  }

  #merge(path: VariablePath, current: Json | undefined, value: Json): void {
    if (!isJsonObject(value)) return;
    // Only a merge without an order to this one can have left another type there. The later write replaces it, as inside a
    // merge.
    if (!isJsonObject(current)) return this.#put(path, value);
    const own = this.#copyOnWrite(current);
    if (own !== current) this.#put(path, own);
    this.#mergeInto(own, value);
  }

  /** Recursion is bounded by the depth of JSON. */
  #mergeInto(own: OwnObject, addition: JsonObject): void {
    for (const key of Object.keys(addition)) {
      if (isForbiddenKey(key)) continue;
      const [existing, value] = [Object.hasOwn(own, key) ? own[key] : undefined, addition[key]!];
      if (!isJsonObject(existing) || !isJsonObject(value)) own[key] = value;
      else {
        const child = this.#copyOnWrite(existing);
        own[key] = child;
        this.#mergeInto(child, value);
      }
    }
  }

  #read(path: VariablePath): Json | undefined {
    let current: Json | undefined = this.#root;
    for (const key of path) {
      if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
      current = current[key];
    }
    return current;
  }

  #put(path: VariablePath, value: Json): void {
    const last = path.at(-1);
    if (last === undefined) return void (this.#root = value);
    let object = this.#copyOnWrite(this.#root);
    this.#root = object;
    for (const key of path.slice(0, -1)) {
      const child = this.#copyOnWrite(Object.hasOwn(object, key) ? object[key]! : null);
      object[key] = child;
      object = child;
    }
    object[last] = value;
  }

  /** The object itself if it may be changed, otherwise a copy; a new object in place of any other value. */
  #copyOnWrite(value: Json): OwnObject {
    if (isJsonObject(value) && this.#own.has(value)) return value;
    const copy: OwnObject = isJsonObject(value) ? { ...value } : {};
    this.#own.add(copy);
    return copy;
  }
}
