// Capturing outputs, and the paths that they go to.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MergeMode } from "../model/definition.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { capture, mergeObjects, type Captured } from "./capture.ts";
import { isWithin, overlaps, parseVariablePath, type VariablePath } from "./variable-path.ts";

function write(variables: Json, to: string, merge: MergeMode, value: Json, readOnly: readonly string[] = []): Captured {
  return capture(
    variables,
    { path: parseVariablePath(`variables.${to}`)!, merge, value },
    readOnly.map((path) => parseVariablePath(`variables.${path}`)!),
  );
}

function written(variables: Json, to: string, merge: MergeMode, value: Json): Json {
  const captured = write(variables, to, merge, value);
  if (captured.kind === "failure") throw new Error(captured.failure.code);
  return captured.variables;
}

describe("replace", () => {
  it("DATA-3 puts a value at its path and makes the way there", () => {
    expect(written({}, "a", "replace", 1)).toEqual({ a: 1 });
    expect(written({ a: 1, b: 2 }, "a", "replace", [3])).toEqual({ a: [3], b: 2 });
    expect(written({ a: { x: 1 } }, "a.b.c", "replace", null)).toEqual({ a: { x: 1, b: { c: null } } });
  });
});

describe("merge", () => {
  it("DATA-3 goes deep into objects and replaces everything else", () => {
    const base = { a: { x: 1, deep: { l: [1] } }, b: 1 };
    expect(written({ v: base }, "v", "merge", { a: { y: 2, deep: { l: [2] } }, b: { c: 1 } })).toEqual({
      v: { a: { x: 1, y: 2, deep: { l: [2] } }, b: { c: 1 } },
    });
    expect(written({}, "v", "merge", { a: 1 })).toEqual({ v: { a: 1 } });
    expect(written({ v: null }, "v", "merge", { a: 1 })).toEqual({ v: { a: 1 } });
  });

  it("DATA-3 needs objects on both sides", () => {
    expect(write({ v: 1 }, "v", "merge", {})).toEqual({
      kind: "failure",
      failure: {
        class: "permanent",
        code: "CAPTURE_NOT_AN_OBJECT",
        message: "`variables.v` is a number, so nothing can be merged into it",
      },
    });
    for (const [output, name] of [
      [[1], "a list"],
      ["x", "a string"],
      [null, "null"],
    ] as const)
      expect(write({}, "v", "merge", output)).toMatchObject({
        failure: {
          code: "CAPTURE_NOT_AN_OBJECT",
          message: `the output is ${name}, so it cannot be merged into \`variables.v\``,
        },
      });
  });

  it("DATA-3 brings no key that could reach a prototype", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"x": 1}, "a": 1}') as JsonObject;
    const merged = mergeObjects({ b: 2 }, hostile);
    expect(Object.keys(merged)).toEqual(["b", "a"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("append", () => {
  it("DATA-3 makes a list, or a longer one", () => {
    expect(written({}, "v", "append", 1)).toEqual({ v: [1] });
    expect(written({ v: null }, "v", "append", null)).toEqual({ v: [null] });
    expect(written({ v: [1] }, "v", "append", [2])).toEqual({ v: [1, [2]] });
  });

  it("DATA-3 fails on a value that is not a list", () => {
    for (const [present, name] of [
      [{}, "an object"],
      ["x", "a string"],
      [0, "a number"],
      [false, "a boolean"],
    ] as const)
      expect(write({ v: present }, "v", "append", 1)).toMatchObject({
        failure: { code: "CAPTURE_NOT_A_LIST", message: `\`variables.v\` is ${name}, so nothing can be appended` },
      });
  });
});

describe("any write", () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const path = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 });
  const merge = fc.constantFrom<MergeMode>("replace", "merge", "append");

  it("DATA-3 changes nothing in place", () => {
    fc.assert(
      fc.property(json, path, merge, json, (variables, to, mode, value) => {
        const before = JSON.stringify([variables, value]);
        capture(variables, { path: to, merge: mode, value });
        expect(JSON.stringify([variables, value])).toBe(before);
      }),
    );
  });

  it("DATA-3 leaves everything beside its path as it is", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c"), json), path, json, (variables, to, value) => {
        const captured = capture(variables, { path: to, merge: "replace", value });
        if (captured.kind === "failure" || !isJsonObject(captured.variables)) throw new Error("a replace failed");
        for (const key of Object.keys(variables))
          if (key !== to[0]) expect(captured.variables[key]).toBe(variables[key]);
        expect(readAt(captured.variables, to)).toBe(value);
      }),
    );
  });

  it("DATA-4 either is refused or leaves every read-only path as it was", () => {
    fc.assert(
      fc.property(json, path, merge, json, path, (variables, to, mode, value, closed) => {
        const captured = capture(variables, { path: to, merge: mode, value }, [closed]);
        if (captured.kind === "variables")
          expect(readAt(captured.variables, closed)).toEqual(readAt(variables, closed));
      }),
      { numRuns: 500 },
    );
  });
});

function readAt(value: Json, path: VariablePath): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path) current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  return current;
}

describe("read-only paths", () => {
  const refused = (to: string, merge: MergeMode, value: Json): boolean =>
    write({ limits: { cpu: 1, memory: 2 } }, to, merge, value, ["limits.cpu"]).kind === "failure";

  it("DATA-4 refuse a write to them, below them, and over them", () => {
    expect(refused("limits.cpu", "replace", 5)).toBe(true);
    expect(refused("limits.cpu.max", "replace", 5)).toBe(true);
    expect(refused("limits", "replace", { memory: 3 })).toBe(true);
    expect(refused("limits", "merge", { cpu: 5 })).toBe(true);
    expect(write({ limits: { cpu: 1 } }, "limits.cpu", "replace", 5, ["limits.cpu"])).toMatchObject({
      failure: { code: "VARIABLE_READ_ONLY", class: "permanent", message: "`variables.limits.cpu` is read-only" },
    });
  });

  it("DATA-4 allow writes that do not touch them", () => {
    expect(refused("limits.memory", "replace", 5)).toBe(false);
    expect(refused("limits", "merge", { memory: 5 })).toBe(false);
    expect(refused("other", "replace", 5)).toBe(false);
  });
});

describe("paths of variables", () => {
  it("DATA-3 begin with `variables` and are words with dots between", () => {
    expect(parseVariablePath("variables")).toEqual([]);
    expect(parseVariablePath("variables.a")).toEqual(["a"]);
    expect(parseVariablePath("variables.a_1.b-c")).toEqual(["a_1", "b-c"]);
    for (const text of [
      "",
      "a",
      "variable.a",
      "variables.",
      "variables..a",
      "variables.1",
      "variables.a b",
      " variables.a",
    ])
      expect(parseVariablePath(text)).toBeUndefined();
    for (const key of ["__proto__", "constructor", "prototype"])
      expect(parseVariablePath(`variables.a.${key}`)).toBeUndefined();
  });

  it("DATA-4 overlap when one lies on the way to the other", () => {
    const path = fc.array(fc.constantFrom("a", "b"), { maxLength: 4 });
    fc.assert(
      fc.property(path, path, (a, b) => {
        const isPrefix = (one: readonly string[], other: readonly string[]): boolean =>
          `${other.join(".")}.`.startsWith(one.length === 0 ? "" : `${one.join(".")}.`);
        expect(overlaps(a, b)).toBe(isPrefix(a, b) || isPrefix(b, a));
        expect(isWithin(a, b)).toBe(isPrefix(b, a));
      }),
    );
  });
});
