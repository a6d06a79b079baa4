// Converts composed YAML to JSON: the values, and the position of each in the text.
//
// YAML has more than JSON. The reader refuses the rest, with its position: tags, merge keys, keys that are not text, numbers that
// would change, unknown aliases, and aliases that multiply.
//
//   J1. An anchored value is read once and shared by its aliases; sizes and heights are counted as if it were copied.
//   J2. Recursion is bounded: the token guard refused deeper documents, and the height with aliases followed is checked here.
//   J3. A Map finds duplicate keys; the composer's own check is quadratic and is switched off.

import { groupedDigits } from "../text/grouped-digits.ts";
import { isForbiddenKey, type Json } from "@segno/kernel";
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Alias, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

import type { DocumentErrorCode } from "../errors/error-codes.ts";
import { DOCUMENT_LIMITS } from "./document-limits.ts";
import type { NodeProblem } from "./node-problem.ts";
import { refuse } from "./node-problem.ts";
import type { SourceChild, SourceNode } from "./source-map.ts";
import { tooDeep } from "./token-guard.ts";

const CORE_TAGS: ReadonlySet<string> = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);
const NO_CHILDREN: ReadonlyMap<string | number, SourceChild> = new Map();
/** The name of an unreadable key in paths. */
const REFUSED_KEY = "?";
const WHOLE_NUMBER = /^[-+]?(?:\d+|0x[\da-f]+|0o[0-7]+)$/iu;

interface NodeReading {
  readonly value: Json;
  readonly source: SourceNode;
  /** The number of values in it, itself included; aliases count as copies. */
  readonly size: number;
  /** The nesting depth of lists and maps. */
  readonly height: number;
}

export interface ReadDocument {
  readonly value: Json;
  readonly source: SourceNode;
  readonly problems: readonly NodeProblem[];
}

export function readJson(root: Node): ReadDocument {
  const reader = new JsonReader();
  const { value, source } = reader.read(root);
  return { value, source, problems: reader.problems };
}

class JsonReader {
  readonly problems: NodeProblem[] = [];
  readonly #path: (string | number)[] = [];
  /** `undefined` while the anchored value is being read. */
  readonly #anchors = new Map<string, NodeReading | undefined>();
  #aliases = 0;

  read(part: unknown): NodeReading {
    if (isAlias(part)) return this.#readAlias(part);
    if (isScalar(part)) return this.#readAnchored(part, () => this.#readScalar(part));
    if (isMap(part)) return this.#readAnchored(part, () => this.#readMap(part));
    if (isSeq(part)) return this.#readAnchored(part, () => this.#readList(part));
    return leaf(null, 0);
  }

  #readAnchored(part: Node & { anchor?: string; tag?: string }, read: () => NodeReading): NodeReading {
    const { anchor, tag } = part;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    let reading = read();
    if (tag !== undefined && !CORE_TAGS.has(tag)) {
      reading = this.#markInvalid(
        reading,
        "YAML_REFUSED",
        `expected a plain value, found the tag ${tag}`,
        "remove the tag",
      );
    }
    if (anchor !== undefined) this.#anchors.set(anchor, reading);
    if (reading.size > DOCUMENT_LIMITS.nodes) throw tooManyValues(startOffset(part));
    if (reading.height > DOCUMENT_LIMITS.depth) throw tooDeep(startOffset(part));
    return reading;
  }

  #readAlias(alias: Alias): NodeReading {
    const offset = startOffset(alias);
    if (++this.#aliases > DOCUMENT_LIMITS.aliases) {
      throw refuse("CONTRACT_TOO_LARGE", offset, `expected at most ${DOCUMENT_LIMITS.aliases} aliases, found more`);
    }
    const target = this.#anchors.get(alias.source);
    if (target !== undefined) return { ...target, source: { ...target.source, offset } };
    const reason = this.#anchors.has(alias.source)
      ? "is inside the value that it refers to"
      : "has no anchor before it";
    return this.#markInvalid(
      leaf(null, offset),
      "YAML_REFUSED",
      `expected an alias of an earlier value, but *${alias.source} ${reason}`,
    );
  }

  #readScalar(scalar: Scalar): NodeReading {
    const reading = leaf(null, startOffset(scalar));
    const { value } = scalar;
    if (typeof value === "number") return this.#readNumber(value, scalar.source ?? "", reading);
    if (typeof value === "boolean") return { ...reading, value };
    if (typeof value !== "string") return reading;
    return value.isWellFormed()
      ? { ...reading, value }
      : this.#markInvalid(reading, "VALUE_NOT_JSON", "expected Unicode text, found a lone surrogate");
  }

  #readNumber(value: number, source: string, reading: NodeReading): NodeReading {
    if (!Number.isFinite(value))
      return this.#markInvalid(reading, "VALUE_NOT_JSON", `expected a JSON number, found ${source}`);
    if (!Number.isSafeInteger(value) && WHOLE_NUMBER.test(source) && isRounded(value, source)) {
      return this.#markInvalid(
        reading,
        "VALUE_NOT_JSON",
        `expected a number that can be stored exactly, found ${source}`,
        "write it in quotes, as text",
      );
    }
    return { ...reading, value: value === 0 ? 0 : value };
  }

  #readList(list: YAMLSeq): NodeReading {
    const value: Json[] = [];
    const children = new Map<string | number, SourceChild>();
    let size = 1;
    let height = 0;
    for (const [index, item] of list.items.entries()) {
      const reading = this.#within(index, () => this.read(item));
      value.push(reading.value);
      children.set(index, { keyOffset: reading.source.offset, node: reading.source });
      size += reading.size;
      height = Math.max(height, reading.height);
    }
    return { value, source: node(startOffset(list), children), size, height: height + 1 };
  }

  #readMap(map: YAMLMap): NodeReading {
    const value: Record<string, Json> = {};
    const children = new Map<string | number, SourceChild>();
    let size = 1;
    let height = 0;
    let isWhole = true;
    for (const pair of map.items) {
      const key = this.#readKey(pair, children);
      // The value of a refused key is read too: it may contain anchors and problems.
      const reading = this.#within(key ?? REFUSED_KEY, () => this.read(pair.value));
      size += reading.size;
      height = Math.max(height, reading.height);
      if (key === undefined) {
        isWhole = false;
        continue;
      }
      value[key] = reading.value;
      const keyOffset = startOffset(pair.key);
      // A key without a value has no position for the value, so the position of the key is used.
      const source = pair.value === null ? { ...reading.source, offset: keyOffset } : reading.source;
      children.set(key, { keyOffset, node: source });
    }
    return { value, source: { ...node(startOffset(map), children), isIncomplete: !isWhole }, size, height: height + 1 };
  }

  #readKey({ key }: Pair, seen: ReadonlyMap<string | number, SourceChild>): string | undefined {
    const offset = startOffset(key);
    const text = isScalar(key) ? key.value : undefined;
    if (typeof text !== "string") {
      const found = isScalar(key) ? `\`${String(key.source ?? key.value)}\`` : "a list, a map or an alias";
      this.#report(
        "KEY_INVALID",
        offset,
        `expected a key that is text, found ${found}`,
        isScalar(key) ? "write the key in quotes" : undefined,
      );
      return undefined;
    }
    const isRefused = this.#refuseKey(text, offset, seen);
    return isRefused ? undefined : text;
  }

  /** Whether the key was refused. Reports the problem if so. */
  #refuseKey(text: string, offset: number, seen: ReadonlyMap<string | number, SourceChild>): boolean {
    if (text === "<<") this.#report("YAML_REFUSED", offset, "expected no merge keys, found `<<`", "write the keys out");
    else if (isForbiddenKey(text)) this.#report("FORBIDDEN_KEY", offset, `\`${text}\` cannot be a key`);
    else if (!text.isWellFormed())
      this.#report("VALUE_NOT_JSON", offset, "expected a key of Unicode text, found a lone surrogate");
    else if (seen.has(text)) this.#report("DUPLICATE_KEY", offset, `expected each key once, found \`${text}\` again`);
    else return false;
    return true;
  }

  #within(part: string | number, read: () => NodeReading): NodeReading {
    this.#path.push(part);
    const reading = read();
    this.#path.pop();
    return reading;
  }

  #markInvalid(reading: NodeReading, code: DocumentErrorCode, message: string, hint?: string): NodeReading {
    this.#report(code, reading.source.offset, message, hint);
    return { ...reading, source: { ...reading.source, isInvalid: true } };
  }

  #report(code: DocumentErrorCode, offset: number, message: string, hint?: string): void {
    this.problems.push({ code, path: [...this.#path], offset, message, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Whether the parsed number differs from the written one: neither its exact value nor its shortest text is the same. */
function isRounded(value: number, source: string): boolean {
  const written = source.replace(/^\+/u, "");
  return String(value) !== written && BigInt(written) !== BigInt(value);
}

function leaf(value: Json, offset: number): NodeReading {
  return { value, source: node(offset, NO_CHILDREN), size: 1, height: 0 };
}

function node(offset: number, children: ReadonlyMap<string | number, SourceChild>): SourceNode {
  return { offset, children, isInvalid: false, isIncomplete: false };
}

function startOffset(position: unknown): number {
  return (position as Node | null)?.range?.[0] ?? 0;
}

function tooManyValues(offset: number): Error {
  const limit = groupedDigits(DOCUMENT_LIMITS.nodes);
  return refuse("CONTRACT_TOO_LARGE", offset, `expected at most ${limit} values with every alias followed, found more`);
}
