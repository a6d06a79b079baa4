// Frozen JSON
//
// Job: make a deeply frozen copy of a JSON value, or report the first path, in reading order, whose value is not JSON (PLAN-7).
//
//   J1. The given value is neither frozen nor changed. Each property is read once, because a getter or a proxy may return another
//       value later.
//   J2. An error that a getter or a proxy throws is a finding at its path, never an exception.
//   J3. Symbols and `__proto__` as keys cannot be copied faithfully as JSON and are refused. A property that is not enumerable is
//       not part of a value's JSON and is left out.
//   J4. The recursion is at most as deep as the kernel lets JSON be.
//   J5. A part that occurs several times is copied once and stays shared, but its size as text counts each time. So the time
//       depends on the number of distinct parts, and a value that is too large as text is refused.

import { checkJson, JSON_DEPTH_MAX, VALUE_BYTES_MAX, type Json, type JsonPath } from "@segno/kernel";
import { hasToJson, isPlain, TOO_DEEP } from "@segno/kernel/json-check";
import { thrownText } from "@segno/kernel/thrown-text";

export type JsonCopy =
  | { readonly kind: "json"; readonly json: Json }
  | { readonly kind: "not-json"; readonly path: JsonPath; readonly found: string };

export function frozenJson(value: unknown): JsonCopy {
  const copying = new JsonCopier();
  try {
    return { kind: "json", json: copying.copy(value).json };
  } catch (error) {
    const found = error instanceof NotJsonError ? error.found : `a value that cannot be read (${thrownText(error)})`;
    return { kind: "not-json", path: copying.path, found };
  }
}

/** Thrown and caught in this file only: it ends the recursion and leaves `path` at the finding. */
class NotJsonError extends Error {
  readonly found: string;

  constructor(found: string) {
    super(found);
    this.found = found;
  }
}

const TOO_LARGE = "more text than a value may have";

/** A copy, and its size. */
interface CopiedPart {
  readonly json: Json;
  /** A lower bound of its length as JSON text. */
  readonly bytes: number;
  /** Levels of lists and objects. */
  readonly height: number;
}

class JsonCopier {
  readonly path: (string | number)[] = [];
  /** Complete parts. An incomplete part is met again only in a cycle, which reaches the depth limit. */
  readonly #parts = new Map<object, CopiedPart>();

  copy(value: unknown): CopiedPart {
    if (typeof value !== "object" || value === null) return scalarPart(value);
    if (this.path.length > JSON_DEPTH_MAX) throw new NotJsonError(TOO_DEEP);
    const known = this.#parts.get(value);
    if (known === undefined) return this.#remember(value, this.#copyOfNew(value));
    if (this.path.length + known.height > JSON_DEPTH_MAX + 1) throw new NotJsonError(TOO_DEEP);
    return known;
  }

  #remember(value: object, part: CopiedPart): CopiedPart {
    this.#parts.set(value, part);
    return part;
  }

  #copyOfNew(value: object): CopiedPart {
    if (hasToJson(value)) return this.#copyConverted(value.toJSON());
    return this.#copyInside(value);
  }

  /** Like `JSON.stringify`, this does not call `toJSON` on the value that `toJSON` returned (ruling 59). */
  #copyConverted(json: unknown): CopiedPart {
    return typeof json === "object" && json !== null ? this.#copyInside(json) : scalarPart(json);
  }

  #copyInside(value: object): CopiedPart {
    if (Array.isArray(value)) return this.#copyOfList(value);
    if (!isPlain(value)) throw new NotJsonError(describeByKernel(value));
    return this.#copyOfObject(value as Readonly<Record<string, unknown>>);
  }

  #copyOfList(list: readonly unknown[]): CopiedPart {
    const copy: Json[] = [];
    const size = new CopySize();
    for (let index = 0; index < list.length; index++) {
      this.path.push(index);
      const part = this.copy(list[index]);
      size.add(part, 1);
      copy.push(part.json);
      this.path.pop();
    }
    return size.part(Object.freeze(copy));
  }

  #copyOfObject(object: Readonly<Record<string, unknown>>): CopiedPart {
    const copy: Record<string, Json> = {};
    const size = new CopySize();
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === "symbol") throw new NotJsonError("a symbol as a key");
      if (!Object.prototype.propertyIsEnumerable.call(object, key)) continue;
      this.path.push(key);
      checkKey(key);
      const value = object[key];
      const part = value === undefined ? undefined : this.copy(value);
      if (part !== undefined) {
        size.add(part, key.length + 4);
        copy[key] = part.json;
      }
      this.path.pop();
    }
    return size.part(Object.freeze(copy));
  }
}

/** The size of a list or an object while it is filled. */
class CopySize {
  #bytes = 1;
  #height = 0;

  /** `beside` is the text around the part: a comma and, in an object, its key. */
  add({ bytes, height }: CopiedPart, beside: number): void {
    this.#bytes += bytes + beside;
    if (this.#bytes > VALUE_BYTES_MAX) throw new NotJsonError(TOO_LARGE);
    if (height > this.#height) this.#height = height;
  }

  part(json: Json): CopiedPart {
    return { json, bytes: this.#bytes, height: this.#height + 1 };
  }
}

function checkKey(key: string): void {
  if (key === "__proto__") throw new NotJsonError("a key that would reach a prototype");
  if (!key.isWellFormed()) throw new NotJsonError("a key with a lone surrogate");
}

function scalarPart(value: unknown): CopiedPart {
  const json = checkedScalar(value);
  return { json, bytes: typeof json === "string" ? json.length + 2 : 1, height: 0 };
}

function checkedScalar(value: unknown): Json {
  // The kernel's check accepts undefined as null at the top, for the output of a step; inside a value it is not JSON.
  if (value === undefined) throw new NotJsonError("undefined");
  const checked = checkJson(value);
  if (checked.kind === "too-large") throw new NotJsonError(TOO_LARGE);
  if (checked.kind === "not-json") throw new NotJsonError(checked.found);
  return checked.json;
}

function describeByKernel(value: object): string {
  const checked = checkJson(value);
  return checked.kind === "not-json" ? checked.found : "an instance of a class";
}
