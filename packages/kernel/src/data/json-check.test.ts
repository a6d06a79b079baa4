// What user code returns is JSON, or is refused at its first wrong place.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkJson, JSON_DEPTH_MAX } from "./json-check.ts";

function trouble(value: unknown): string {
  const checked = checkJson(value);
  return checked.kind === "json" ? "json" : `${checked.path}: ${checked.found}`;
}

describe("JSON", () => {
  it("DATA-8 is taken as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const checked = checkJson(value);
        expect(checked.kind === "json" && checked.json).toBe(value);
      }),
    );
    expect(trouble(Object.assign(Object.create(null) as object, { a: 1 }))).toBe("json");
    expect(trouble({ "\u{1f600}": "\u{1f600}" })).toBe("json");
  });

  it("DATA-8 no value at all counts as null", () => {
    expect(checkJson(undefined)).toEqual({ kind: "json", json: null });
  });

  it("DATA-8 what two places share is no cycle", () => {
    const shared = { a: 1 };
    expect(trouble([shared, { again: shared }])).toBe("json");
  });
});

describe("what is not JSON", () => {
  it("DATA-8 is named with its path", () => {
    class Account {
      name = "x";
    }
    expect(trouble({ a: [1, { b: undefined }] })).toBe("a[1].b: undefined");
    expect(trouble([Number.NaN])).toBe("[0]: NaN");
    expect(trouble({ x: Number.POSITIVE_INFINITY })).toBe("x: Infinity");
    expect(trouble({ "odd key": { f: () => 1 } })).toBe('["odd key"].f: a function');
    expect(trouble(10n)).toBe("(document): a bigint");
    expect(trouble({ s: Symbol("x") })).toBe("s: a symbol");
    expect(trouble({ when: new Date(0) })).toBe("when: an instance of Date");
    expect(trouble([new Map([["a", 1]])])).toBe("[0]: an instance of Map");
    expect(trouble(new Set())).toBe("(document): an instance of Set");
    expect(trouble({ account: new Account() })).toBe("account: an instance of Account");
    expect(trouble({ bytes: new Uint8Array(2) })).toBe("bytes: an instance of Uint8Array");
    expect(trouble(["a", "b\ud800"])).toBe("[1]: text with half of a surrogate pair");
    expect(trouble({ "\udc00": 1 })).toBe('["\\udc00"]: a key with half of a surrogate pair');
    const gappy = [1, 2, 3];
    delete gappy[1];
    expect(trouble(gappy)).toBe("[1]: undefined");
  });

  it("DATA-8 is reported at its first place in reading order", () => {
    expect(trouble({ a: { z: Number.NaN }, b: undefined })).toBe("a.z: NaN");
    expect(trouble([{ x: 1 }, undefined, Number.NaN])).toBe("[1]: undefined");
  });

  it("DATA-8 a cycle and a value without end are refused", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(trouble(cycle)).toMatch(/^(?:self\.?)+: a value deeper than 64 levels, or a cycle$/u);
    const list: unknown[] = [];
    list.push(list, list);
    expect(trouble(list)).toMatch(/or a cycle$/u);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(trouble(deep)).toMatch(/or a cycle$/u);
  });

  it("DATA-8 values may be as deep as the limit", () => {
    let deep: unknown = [];
    for (let level = 0; level < JSON_DEPTH_MAX; level++) deep = [deep];
    expect(trouble(deep)).toBe("json");
    expect(trouble([deep])).toMatch(/deeper than 64/u);
  });
});
