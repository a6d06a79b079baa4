// Functions on threads return and throw: the outcomes equal those of functions on the engine's own thread.

import { describe, expect, it } from "vitest";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture("file");
const own = useThreadFixture();

const SKIP = new URL("../../src/agents/skip.ts", import.meta.url).href;

describe("a returned value", () => {
  it.each<readonly [string, string, unknown]>([
    ["nothing", "() => undefined", null],
    ["text", "async () => 'text'", "text"],
    ["a number", "() => -0.5", -0.5],
    ["lists and objects", "async () => ({ list: [1, { a: null }], on: true })", { list: [1, { a: null }], on: true }],
    ["an object without a prototype", "() => Object.assign(Object.create(null), { a: 1 })", { a: 1 }],
    ["a date and a key without a value", "() => ({ at: new Date(0), no: undefined })", { at: new Date(0).toJSON() }],
    ["its input", "(input) => input", { size: [800, 600] }],
    ["40 levels", "() => { let v = 1; for (let i = 0; i < 40; i++) v = [v]; return v; }", nested(40)],
    ["four million characters", "() => 'x'.repeat(4_000_000)", "x".repeat(4_000_000)],
  ])("DATA-8 %s is the output", async (_, text, output) => {
    expect(toOutput(await fixture.run(text, { input: { size: [800, 600] } }))).toEqual(output);
  });

  it.each([
    ["a function", "() => ({ list: [() => 1] })", "list[0]"],
    ["a Symbol", "() => ({ odd: Symbol('odd') })", "odd"],
    ["a BigInt", "() => [0, 10n]", "[1]"],
    ["a cycle", "() => { const ring = {}; ring.ring = ring; return ring; }", undefined],
    ["a Set", "() => ({ at: new Set() })", "at"],
    ["a Map", "() => new Map()", "(document)"],
    ["NaN", "() => ({ ratio: NaN })", "ratio"],
    ["undefined in a list", "() => ({ a: [undefined] })", "a[0]"],
    ["a list with a hole", "() => [1, , 2]", "[1]"],
    ["an instance of a class", "() => ({ point: new (class Point { x = 1 })() })", "point"],
    ["a getter that throws", "() => ({ get trap() { throw new Error('hands off'); } })", undefined],
    ["a `toJSON` that throws", "() => ({ toJSON() { throw new Error('no'); } })", undefined],
    ["a `toJSON` that returns itself", "() => ({ toJSON() { return this; } })", "toJSON"],
    ["a `toJSON` without end", "() => new (class Next { toJSON() { return { next: new Next() }; } })()", undefined],
    ["what a `toJSON` returns", "() => ({ toJSON: () => ({ a: 1n }) })", "a"],
    ["nesting without end", "() => { let v = 1; for (let i = 0; i < 100_000; i++) v = [v]; return v; }", undefined],
  ])("DATA-8 %s is no JSON and fails the step (OUTPUT_NOT_JSON)", async (_, text, path) => {
    const failure = toFailure(await fixture.run(text));
    expect(failure).toMatchObject({ class: "permanent", code: "OUTPUT_NOT_JSON" });
    if (path !== undefined) expect(failure.path).toBe(path);
  });

  it("JOURNAL-4 text of 11 MB is too large (VALUE_TOO_LARGE)", async () => {
    const text = "'x'.repeat(11_000_000)";
    for (const given of [text, `({ toJSON: () => ${text} })`])
      expect(toFailure(await fixture.run(`() => ${given}`))).toMatchObject({ code: "VALUE_TOO_LARGE" });
  });

  it("STATE-5 a skip skips the step, with its reason", async () => {
    const path = fixture.module(`import { skip } from ${JSON.stringify(SKIP)};
      export default () => skip("nothing new");`);
    expect(await fixture.start(path).attempt.outcome).toEqual({ kind: "skipped", message: "nothing new" });
  });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let each = 0; each < depth; each++) value = [value];
  return value;
}

const throwing = (value: string): string => `() => { throw ${value}; }`;

describe("a thrown error", () => {
  it.each([
    ["a string", "'just text'", "just text"],
    ["a BigInt", "10n", "10"],
    ["a Symbol", "Symbol('odd')", "odd"],
    ["undefined", "undefined", "undefined"],
    ["a function", "() => 'called'", "called"],
    ["an error without a message", "new Error()", "no message"],
    ["a value that throws when it is read", "new Proxy({}, { get() { throw 1; } })", "cannot be read"],
  ])("FAIL-1 %s is a failure with a message", async (_, value, text) => {
    const failure = toFailure(await fixture.run(throwing(value)));
    expect(failure).toMatchObject({ class: "transient", code: "Error" });
    expect(failure.message).toContain(text);
  });

  it.each([
    ["permanent", "TypeError", "new TypeError('a mistake')"],
    ["permanent", "PermanentError", "Object.assign(new Error('never'), { name: 'PermanentError' })"],
    ["permanent", "Error", "Object.assign(new Error('not there'), { status: 404 })"],
    ["transient", "Error", "Object.assign(new Error('busy'), { statusCode: 503 })"],
    ["transient", "ECONNRESET", "Object.assign(new TypeError('reset'), { code: 'ECONNRESET' })"],
    ["transient", "TypeError", "new TypeError('x', { cause: Object.assign(new Error('y'), { code: 'EPIPE' }) })"],
  ])("FAIL-1 is %s by name, code and status: %s of %s", async (kind, code, value) => {
    expect(toFailure(await fixture.run(throwing(value)))).toMatchObject({ class: kind, code });
  });

  it("FAIL-3 keeps its Retry-After, its status and its causes", async () => {
    const value = `Object.assign(new Error("later", { cause: new RangeError("limit") }), {
      name: "RetryAfterError", retryAfterMs: 1500, status: 429 })`;
    expect(toFailure(await fixture.run(throwing(value)))).toMatchObject({
      class: "transient",
      code: "RetryAfterError",
      message: "later",
      status: 429,
      retryAfter: 1500,
      cause: { class: "transient", code: "RangeError", message: "limit" },
    });
  });

  it("FAIL-1 may have endless or circular causes", async () => {
    const endless = `() => { let error = new Error("root");
      for (let depth = 0; depth < 100_000; depth++) error = new Error("x".repeat(99), { cause: error });
      throw error; }`;
    expect(JSON.stringify(toFailure(await fixture.run(endless))).length).toBeLessThan(10_000);
    const circle = `() => { const first = new Error("first");
      first.cause = new Error("second", { cause: first });
      throw first; }`;
    expect(toFailure(await fixture.run(circle))).toMatchObject({ message: "first", cause: { message: "second" } });
  });

  it("FAIL-7 is classified by the user's classifier", async () => {
    own.setUp({ classify: (error) => ((error as Error).message === "odd" ? "permanent" : "transient") });
    expect(toFailure(await own.run(throwing("new Error('odd')")))).toMatchObject({ class: "permanent" });
  });
});

describe("a thenable", () => {
  it("FAIL-1 that calls back twice counts once, with the first value", async () => {
    const both =
      "() => ({ then(resolve, reject) { resolve('first'); reject(new Error('second')); resolve('third'); } })";
    expect(toOutput(await fixture.run(both))).toBe("first");
    const reversed = "() => ({ then(resolve, reject) { reject(new Error('first')); resolve('second'); } })";
    expect(toFailure(await fixture.run(reversed))).toMatchObject({ message: "first" });
  });
});
