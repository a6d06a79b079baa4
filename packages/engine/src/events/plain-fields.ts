// Converts log fields to plain data that JSON can encode.
//
//   P1. Total: throwing getters and `toJSON`, cycles, proxies and excessive depth become a text in their place, and
//       affect nothing else.
//   P2. Every string passes the mask, including keys and the content of bytes (DATA-9). The result is a copy, because a
//       logger that reads the original differently could find unmasked text.
//   P3. The number of values, the depth and the number of bytes are limited.

import { toLogFields } from "./log-call.ts";
import type { LogFields } from "./logger.ts";

type MaskText = (text: string) => string;

const DEPTH_MAX = 16;
const VALUES_MAX = 10_000;
/** Longer byte arrays are shown by their length. */
const BYTES_MAX = 65_536;

export function plainFields(given: unknown, mask: MaskText = (text) => text): LogFields {
  const fields = toLogFields(given);
  const copy = new FieldCopy(mask).entries(fields, new Set([fields]));
  return typeof copy === "string" ? { fields: copy } : copy;
}

class FieldCopy {
  readonly #mask: MaskText;
  #valuesLeft = VALUES_MAX;

  constructor(mask: MaskText) {
    this.#mask = mask;
  }

  /** The properties of an object, ignoring its `toJSON`. */
  entries(value: object, above: ReadonlySet<object>): Record<string, unknown> | "[unreadable]" {
    try {
      const entries: [string, unknown][] = [];
      for (const key of Object.keys(value)) {
        if (this.#valuesLeft <= 0) break;
        entries.push([this.#mask(key), this.#property(value, key, above)]);
      }
      return Object.fromEntries(entries);
    } catch {
      return "[unreadable]";
    }
  }

  #property(value: object, key: string, above: ReadonlySet<object>): unknown {
    try {
      return this.#value((value as Record<string, unknown>)[key], above);
    } catch {
      return "[unreadable]";
    }
  }

  #value(value: unknown, above: ReadonlySet<object>): unknown {
    if (this.#valuesLeft-- <= 0) return "[more]";
    switch (typeof value) {
      case "string":
        return this.#mask(value);
      case "number":
        return this.#number(value);
      case "bigint":
      case "symbol":
      case "function":
        return this.#mask(String(value));
      case "object":
        return value === null ? null : this.#object(value, above);
      case "boolean":
      case "undefined":
        return value;
    }
  }

  /** JSON has no NaN, and a number may be a secret. */
  #number(value: number): unknown {
    const text = String(value);
    const masked = this.#mask(text);
    return masked === text && Number.isFinite(value) ? value : masked;
  }

  #object(value: object, above: ReadonlySet<object>): unknown {
    if (above.has(value)) return "[circular]";
    if (above.size >= DEPTH_MAX) return "[too deep]";
    try {
      return this.#whole(value, new Set(above).add(value));
    } catch {
      return "[unreadable]";
    }
  }

  #whole(value: object, above: ReadonlySet<object>): unknown {
    const inside = (each: unknown): unknown => this.#value(each, above);
    if (value instanceof Error) return this.#error(value, above);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : this.#mask(value.toISOString());
    if (Array.isArray(value) || value instanceof Set) return this.#list(value as Iterable<unknown>, inside);
    if (value instanceof Map) return this.#map(value, inside);
    if (ArrayBuffer.isView(value)) return this.#bytes(value);
    if (value instanceof ArrayBuffer) return this.#bytes(new Uint8Array(value));
    if (value instanceof RegExp) return this.#mask(String(value));
    if ("toJSON" in value && typeof value.toJSON === "function") return inside(value.toJSON());
    return this.entries(value, above);
  }

  #list(values: Iterable<unknown>, inside: (each: unknown) => unknown): readonly unknown[] {
    const list: unknown[] = [];
    for (const each of values) {
      list.push(inside(each));
      if (this.#valuesLeft <= 0) break;
    }
    return list;
  }

  /** An object if all keys are strings; otherwise pairs. */
  #map(map: ReadonlyMap<unknown, unknown>, inside: (each: unknown) => unknown): unknown {
    const pairs = this.#list(map, (pair) => (pair as readonly unknown[]).map(inside)) as readonly unknown[][];
    const hasNames = [...map.keys()].every((key) => typeof key === "string");
    return hasNames ? Object.fromEntries(pairs as [string, unknown][]) : pairs;
  }

  /** Decodes bytes as text if possible: a list of numbers would be unreadable and could not be masked. */
  #bytes({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
    const length = `[${byteLength} bytes]`;
    if (byteLength > BYTES_MAX) return length;
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(
        new Uint8Array(buffer, byteOffset, byteLength).slice(),
      );
      return text.includes("\0") ? length : this.#mask(text);
    } catch {
      return length;
    }
  }

  /** The name, message, stack and cause of an error are not enumerable. */
  #error(error: Error, above: ReadonlySet<object>): unknown {
    const keys = ["name", "message", "code", "stack", "cause", "errors"].filter((key) => key in error);
    const own = keys.map((key) => [key, this.#property(error, key, above)] as const);
    const known = own.filter(([, value]) => value !== undefined);
    const rest = this.entries(error, above);
    return { ...Object.fromEntries(known), ...(typeof rest === "string" ? {} : rest) };
  }
}
