// Masks strings and keys inside JSON at any depth, and leaves values without secrets unchanged.
//
// It uses an explicit stack, because the output of user code may be arbitrarily deep. Parts without a secret are shared
// with the original, and a copy is frozen if the original was.

import { isJsonArray, isJsonObject, type Json, type JsonArray, type JsonObject } from "@segno/kernel";

interface Masking {
  text(text: string): string;
  number(number: number): Json;
}

export function maskJson(
  root: JsonArray | JsonObject,
  text: Masking["text"],
  number: Masking["number"] = (given) => given,
): Json {
  const masking = { text, number };
  const stack: MaskVisit[] = [new MaskVisit(root)];
  for (;;) {
    const visit = stack.at(-1)!;
    if (!visit.isOver) {
      const child = visit.child;
      if (isJsonArray(child) || isJsonObject(child)) stack.push(new MaskVisit(child));
      else visit.put(maskLeaf(child, masking));
      continue;
    }
    const masked = visit.result(masking);
    stack.pop();
    const above = stack.at(-1);
    if (above === undefined) return masked;
    above.put(masked);
  }
}

function maskLeaf(leaf: Json, masking: Masking): Json {
  if (typeof leaf === "string") return masking.text(leaf);
  return typeof leaf === "number" ? masking.number(leaf) : leaf;
}

/** An array or an object whose children are partly visited. */
class MaskVisit {
  readonly #source: JsonArray | JsonObject;
  /** Undefined for an array. */
  readonly #keys: readonly string[] | undefined;
  readonly #values: readonly Json[];
  #masked: Json[] | undefined;
  #next = 0;

  constructor(source: JsonArray | JsonObject) {
    this.#source = source;
    this.#keys = isJsonArray(source) ? undefined : Object.keys(source);
    this.#values = isJsonArray(source) ? source : Object.values(source);
  }

  get isOver(): boolean {
    return this.#next === this.#values.length;
  }

  get child(): Json {
    return this.#values[this.#next]!;
  }

  put(child: Json): void {
    if (!Object.is(child, this.child)) {
      this.#masked ??= [...this.#values];
      this.#masked[this.#next] = child;
    }
    this.#next++;
  }

  result(masking: Masking): Json {
    const keys = this.#keys === undefined ? undefined : maskKeys(this.#keys, masking);
    if (this.#masked === undefined && keys === this.#keys) return this.#source;
    const values = this.#masked ?? this.#values;
    const copy = keys === undefined ? values : Object.fromEntries(keys.map((key, each) => [key, values[each]!]));
    return Object.isFrozen(this.#source) ? Object.freeze(copy) : copy;
  }
}

/** Keys without a secret keep their names. If masked keys collide, all but the first get a number. */
function maskKeys(keys: readonly string[], masking: Masking): readonly string[] {
  const masked = keys.map((key) => masking.text(key));
  if (masked.every((key, each) => key === keys[each])) return keys;
  const used = new Set(masked.filter((key, each) => key === keys[each]));
  const counts = new Map<string, number>();
  return masked.map((key, each) => (key === keys[each] ? key : freeKey(key, used, counts, masking)));
}

function freeKey(key: string, used: Set<string>, counts: Map<string, number>, masking: Masking): string {
  let count = counts.get(key) ?? 1;
  let free = count === 1 ? key : `${key} (${count})`;
  // A number could complete another secret by chance.
  while (used.has(free) || masking.text(free) !== free) free = `${key} (${++count})`;
  counts.set(key, count + 1);
  used.add(free);
  return free;
}
