// The check of user code's results: JSON is accepted, and any other value is refused at its first wrong member.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VALUE_BYTES_MAX } from "../model/value.ts";
import { checkJson, JSON_DEPTH_MAX } from "./json-check.ts";

function describeCheck(value: unknown): string {
  const checked = checkJson(value);
  return checked.kind === "not-json" ? `${checked.path}: ${checked.found}` : checked.kind;
}

describe("JSON", () => {
  it("DATA-8 is returned unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const checked = checkJson(value);
        expect(checked.kind === "json" && checked.json).toBe(value);
      }),
    );
    expect(describeCheck(Object.assign(Object.create(null) as object, { a: 1 }))).toBe("json");
    expect(describeCheck({ "\u{1f600}": "\u{1f600}" })).toBe("json");
  });

  it("DATA-8 no value at all counts as null", () => {
    expect(checkJson(undefined)).toEqual({ kind: "json", json: null });
  });

  it("DATA-8 a value that is referenced twice is not a cycle", () => {
    const shared = { a: 1 };
    expect(describeCheck([shared, { again: shared }])).toBe("json");
  });
});

describe("a value that is converted to JSON as `JSON.stringify` converts it (ruling 59)", () => {
  it("DATA-8 keys without a value are left out", () => {
    const value = { a: undefined, b: { c: undefined, d: [{ e: undefined }] } };
    expect(checkJson(value)).toEqual({ kind: "json", json: { b: { d: [{}] } } });
    expect(Object.keys((checkJson(value) as { json: object }).json)).toEqual(["b"]);
    expect(Object.keys(value)).toEqual(["a", "b"]);
  });

  it("DATA-8 an object with a `toJSON` becomes its result, and `toJSON` is called once", () => {
    let asked = 0;
    const count = { toJSON: () => ++asked };
    const value = { when: new Date(0), url: new URL("http://a/"), counts: [count, count], nothing: { toJSON() {} } };
    expect(checkJson(value)).toEqual({
      kind: "json",
      json: { when: "1970-01-01T00:00:00.000Z", url: "http://a/", counts: [1, 1] },
    });
    expect(checkJson(new Date(0))).toEqual({ kind: "json", json: "1970-01-01T00:00:00.000Z" });
  });

  it("DATA-8 the result of `toJSON` is checked like any other value, and its own `toJSON` is not called", () => {
    expect(describeCheck([{ toJSON: () => ({ a: [1n] }) }])).toBe("[0].a[0]: a bigint");
    expect(describeCheck([{ toJSON: () => undefined }])).toBe("[0]: undefined");
    expect(describeCheck({ again: { toJSON: () => ({ toJSON: () => 1 }) } })).toBe("again.toJSON: a function");
    expect(describeCheck({ when: { toJSON: () => new Date(0) } })).toBe("when: an instance of Date");
  });

  it("DATA-8 a `toJSON` without end is refused: its objects are as deep, as many and as large as values may be", () => {
    const itself = { toJSON: () => itself };
    expect(describeCheck({ itself })).toBe("itself.toJSON: a function");
    class Deep {
      toJSON(): unknown {
        return { next: new Deep() };
      }
    }
    expect(describeCheck(new Deep())).toMatch(/^(?:next\.?)+: a value deeper than 64 levels, or a cycle$/u);
    class Wide {
      toJSON(): unknown {
        return Array.from({ length: 200_000 }, () => new Wide());
      }
    }
    expect(checkJson(new Wide())).toEqual({ kind: "too-large" });
    expect(checkJson({ toJSON: () => "x".repeat(2 * VALUE_BYTES_MAX + 2) })).toEqual({ kind: "too-large" });
  });

  it("DATA-8 a value that needs no change is not copied", () => {
    const value = { a: [1] };
    expect((checkJson(value) as { json: unknown }).json).toBe(value);
  });
});

describe("a value that is not JSON", () => {
  it("DATA-8 is named with its path", () => {
    class Account {
      name = "x";
    }
    expect(describeCheck({ a: [1, [undefined]] })).toBe("a[1][0]: undefined");
    expect(describeCheck([Number.NaN])).toBe("[0]: NaN");
    expect(describeCheck({ x: Number.POSITIVE_INFINITY })).toBe("x: Infinity");
    expect(describeCheck({ "odd key": { f: () => 1 } })).toBe('["odd key"].f: a function');
    expect(describeCheck(10n)).toBe("(document): a bigint");
    expect(describeCheck({ s: Symbol("x") })).toBe("s: a symbol");
    expect(describeCheck([new Map([["a", 1]])])).toBe("[0]: an instance of Map");
    expect(describeCheck(new Set())).toBe("(document): an instance of Set");
    expect(describeCheck({ account: new Account() })).toBe("account: an instance of Account");
    expect(describeCheck({ bytes: new Uint8Array(2) })).toBe("bytes: an instance of Uint8Array");
    expect(describeCheck(["a", "b\ud800"])).toBe("[1]: text with a lone surrogate");
    expect(describeCheck({ "\udc00": 1 })).toBe('["\\udc00"]: a key with a lone surrogate');
    const gappy = [1, 2, 3];
    delete gappy[1];
    expect(describeCheck(gappy)).toBe("[1]: undefined");
  });

  it("DATA-8 is reported at its first path in reading order", () => {
    expect(describeCheck({ a: { z: Number.NaN }, b: [undefined] })).toBe("a.z: NaN");
    expect(describeCheck([{ x: 1 }, undefined, Number.NaN])).toBe("[1]: undefined");
  });

  it("DATA-8 a cycle and a value without end are refused", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(describeCheck(cycle)).toMatch(/^(?:self\.?)+: a value deeper than 64 levels, or a cycle$/u);
    const list: unknown[] = [];
    list.push(list, list);
    expect(describeCheck(list)).toMatch(/or a cycle$/u);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(describeCheck(deep)).toMatch(/or a cycle$/u);
  });

  it("DATA-8 values may be as deep as the limit", () => {
    let deep: unknown = [];
    for (let level = 0; level < JSON_DEPTH_MAX; level++) deep = [deep];
    expect(describeCheck(deep)).toBe("json");
    expect(describeCheck([deep])).toMatch(/deeper than 64/u);
  });
});

describe("a value that is too large", () => {
  /** The largest number of items whose list still fits into the limit as text. */
  const findMaximum = (item: unknown): number => Math.floor((VALUE_BYTES_MAX - 1) / (JSON.stringify(item).length + 1));
  const makeList = (length: number, item: unknown): unknown[] => Array.from({ length }).fill(item);

  it("JOURNAL-4 is refused with one item more than the limit, and accepted at the limit", () => {
    const item = [[], {}, "", 1, [[1, 1]]];
    expect(describeCheck(makeList(findMaximum(item), item))).toBe("json");
    expect(describeCheck(makeList(findMaximum(item) + 1, item))).toBe("too-large");
  });

  it("JOURNAL-4 is accepted at the limit, whatever its parts are", () => {
    const item = { key: "some text", "€": "€", "": ['"\n', null, true, false, -1.5e-300, { a: {} }] };
    expect(describeCheck(makeList(findMaximum(item), item))).toBe("json");
  });

  it("JOURNAL-4 is a list that is too long, whatever is in it: no item is looked at", () => {
    const looked: unknown[] = [];
    const get = (_: object, key: unknown): number => (looked.push(key), VALUE_BYTES_MAX / 2);
    expect(describeCheck({ list: new Proxy([], { get }) })).toBe("too-large");
    expect(looked).toEqual(["length"]);
  });

  it("JOURNAL-4 is an endless list of holes; a shorter one is not JSON at its first hole (DATA-8)", () => {
    const endless: unknown[] = [];
    endless[100_000_000] = 1;
    expect(describeCheck([endless])).toBe("too-large");
    const holes: unknown[] = [];
    holes[4_000_000] = 1;
    expect(describeCheck([holes])).toBe("[0][0]: undefined");
  });

  it("JOURNAL-4 is a shared part that occurs so often that the sum is too large: lists, objects, text and keys", () => {
    let list: unknown = 1;
    let object: unknown = 1;
    for (let level = 0; level < 40; level++) [list, object] = [[list, list], { a: object, b: object }];
    expect(describeCheck(list)).toBe("too-large");
    expect(describeCheck(object)).toBe("too-large");
    const text = "x".repeat(1_000_000);
    expect(describeCheck(makeList(2000, text))).toBe("too-large");
    expect(describeCheck(makeList(2000, { [text]: 1 }))).toBe("too-large");
  });

  it("DATA-8 is reported as a cycle if it is one: it would not be smaller with fewer rows", () => {
    const table: Record<string, unknown> = {};
    table["rows"] = makeList(400_000, { table });
    expect(describeCheck(table)).toMatch(/^rows\[0\]\.table.*: a value deeper than 64 levels, or a cycle$/u);
  });

  it("JOURNAL-4 is not detected here if only text makes it too large: the serializer knows the number of bytes", () => {
    expect(describeCheck(["x".repeat(VALUE_BYTES_MAX + 1)])).toBe("json");
    expect(describeCheck(["x".repeat(2 * VALUE_BYTES_MAX)])).toBe("too-large");
  });
});
