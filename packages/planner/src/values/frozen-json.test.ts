// A frozen copy of JSON, or the place that is not JSON.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJsonPath } from "@segno/kernel";
import { frozenJson } from "./frozen-json.ts";

function describeCheck(value: unknown): string {
  const copy = frozenJson(value);
  return copy.kind === "json" ? "json" : `${formatJsonPath(copy.path)}: ${copy.found}`;
}

function isFrozenDeep(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenDeep);
}

function rude(): never {
  throw new Error("no");
}

describe("a copy of JSON", () => {
  it("PLAN-7 is equal, frozen however deep, and leaves what it copies as it was", () => {
    const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes("__proto__"));
    fc.assert(
      fc.property(json, (value) => {
        const copy = frozenJson(value);
        if (copy.kind !== "json") throw new Error(copy.found);
        expect(copy.json).toEqual(value);
        expect(isFrozenDeep(copy.json)).toBe(true);
        if (typeof value === "object" && value !== null) expect(Object.isFrozen(value)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("PLAN-7 reads each property once, so that a getter cannot change its mind", () => {
    let reads = 0;
    const fickle = {
      get value() {
        return ++reads;
      },
    };
    expect(frozenJson(fickle)).toEqual({ kind: "json", json: { value: 1 } });
    expect(reads).toBe(1);
  });

  it("PLAN-7 takes proxies, null prototypes and shared parts as the data that they show", () => {
    const shared = { a: 1 };
    const odd = Object.assign(Object.create(null) as object, { again: shared, shared });
    expect(frozenJson(new Proxy(odd, {}))).toEqual({ kind: "json", json: { again: { a: 1 }, shared: { a: 1 } } });
    expect(describeCheck(Object.defineProperty({}, "hidden", { value: rude }))).toBe("json");
  });

  it("PLAN-7 of a part in very many places is made once, and stays one part", () => {
    const made: { reads: number } = { reads: 0 };
    const part = {
      get value() {
        return ++made.reads;
      },
    };
    const copy = frozenJson({ list: Array.from({ length: 1000 }, () => part) });
    expect(made.reads).toBe(1);
    expect(copy).toMatchObject({ kind: "json", json: { list: expect.arrayContaining([{ value: 1 }]) } });
  });

  it("PLAN-7 has words of every object as keys like any other", () => {
    expect(frozenJson({ constructor: 1, toString: 2 })).toEqual({
      kind: "json",
      json: { constructor: 1, toString: 2 },
    });
  });
});

it("PLAN-7 keys without a value are left out, and what has a `toJSON` is what that returns (ruling 59)", () => {
  expect(frozenJson({ a: undefined, when: new Date(0), list: [{ toJSON: () => [1] }] })).toEqual({
    kind: "json",
    json: { when: "1970-01-01T00:00:00.000Z", list: [[1]] },
  });
  expect(describeCheck([{ toJSON: () => ({ a: 1n }) }])).toBe("[0].a: a bigint");
  expect(describeCheck([{ toJSON: () => new Map() }])).toBe("[0]: an instance of Map");
});

describe("what is not JSON", () => {
  it("PLAN-7 is named with its path", () => {
    expect(describeCheck({ a: [1, [undefined]] })).toBe("a[1][0]: undefined");
    expect(describeCheck(undefined)).toBe("(document): undefined");
    expect(describeCheck([Number.NaN])).toBe("[0]: NaN");
    expect(describeCheck({ x: Number.NEGATIVE_INFINITY })).toBe("x: -Infinity");
    expect(describeCheck({ f: rude })).toBe("f: a function");
    expect(describeCheck({ n: 10n })).toBe("n: a bigint");
    expect(describeCheck({ s: Symbol("x") })).toBe("s: a symbol");
    expect(describeCheck({ m: new Map() })).toBe("m: an instance of Map");
    expect(describeCheck({ p: Promise.resolve(1) })).toBe("p: an instance of Promise");
    expect(describeCheck(Array.from({ length: 2 }))).toBe("[0]: undefined");
  });

  it("PLAN-7 is a key that is a symbol, or that would reach a prototype", () => {
    expect(describeCheck({ inner: { [Symbol("x")]: 1 } })).toBe("inner: a symbol as a key");
    expect(describeCheck(JSON.parse('{"a":{"__proto__":{"b":1}}}'))).toBe(
      "a.__proto__: a key that would reach a prototype",
    );
  });

  it("PLAN-7 is a cycle, or a value without end, found at once however wide it is", () => {
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

  it("PLAN-7 is a value that nobody could write out, found without walking all of it", () => {
    let reads = 0;
    let doubled: unknown = {
      get leaf() {
        return ++reads;
      },
    };
    for (let level = 0; level < 60; level++) doubled = [doubled, doubled];
    expect(describeCheck({ doubled })).toMatch(/more text than a value may have$/u);
    expect(reads).toBe(1);
  });

  it("PLAN-7 is a part that is too deep in its second place only", () => {
    let tower: unknown = [];
    for (let level = 0; level < 60; level++) tower = [tower];
    expect(describeCheck([tower])).toBe("json");
    expect(describeCheck([tower, [[[[tower]]]]])).toBe("[1][0][0][0][0]: a value deeper than 64 levels, or a cycle");
    expect(describeCheck([tower, [[[tower]]]])).toBe("json");
  });

  it("PLAN-7 is what throws when it is read", () => {
    const getter = Object.defineProperty({}, "rude", { enumerable: true, get: rude });
    expect(describeCheck({ a: [getter] })).toBe("a[0].rude: a value that cannot be read (Error: no)");
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(describeCheck({ gone: proxy })).toMatch(/^gone: a value that cannot be read \(TypeError/u);
    expect(describeCheck({ p: new Proxy({}, { ownKeys: rude }) })).toBe("p: a value that cannot be read (Error: no)");
  });
});
