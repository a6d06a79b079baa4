import { sep } from "node:path";
import { toFailure, type Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { withStacks } from "./failure-stack.ts";

const unmasked = (text: string): string => text;

/** An error with these frames. */
function errorAt(message: string, frames: readonly string[], cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? {} : { cause });
  const lines = frames.map((frame) => `\n    at ${frame}`);
  return Object.defineProperty(error, "stack", { value: `Error: ${message}${lines.join("")}` });
}

function kept(error: unknown, mask: (text: string) => string = unmasked): Failure {
  return withStacks(toFailure(error, mask), error, mask);
}

const here = (file: string): string => `${process.cwd()}${sep}${file}`;

describe("FAIL-5 the stack of a failure", () => {
  it("FAIL-5 has the frames of the program and of its dependencies, relative to the working directory", () => {
    const error = errorAt("no", [
      `load (${here("src/load.ts:3:5")})`,
      "Array.map (<anonymous>)",
      "node:internal/process/task_queues:95:5",
      `async get (file://${here("node_modules/shop/get.js:1:1")})`,
      `async run (file://${here("node_modules/@segno/engine/dist/runners/recorded-calls.js:1:1")})`,
      here("node_modules/segno/dist/index.js:1:1"),
      `execute (${here("packages/engine/src/runners/main-thread-runner.ts:1:1")})`,
      `async file://${here("src/app.ts:9:1")}`,
      "elsewhere (/srv/other/file.ts:2:2)",
    ]);
    expect(kept(error).stack?.split("\n")).toEqual([
      "at load (src/load.ts:3:5)",
      "at async get (node_modules/shop/get.js:1:1)",
      "at async src/app.ts:9:1",
      "at elsewhere (/srv/other/file.ts:2:2)",
    ]);
  });

  it("FAIL-5 keeps the frames of the program if there are too many", () => {
    const deep = Array.from({ length: 40 }, (_, line) => `call (/app/node_modules/sdk/index.js:${line}:1)`);
    const { stack = "" } = kept(errorAt("no", [...deep, "own (/app/src/app.ts:1:1)"]));
    expect(stack.split("\n")).toHaveLength(10);
    expect(stack).toMatch(/\nat own \(\/app\/src\/app.ts:1:1\)$/u);
  });

  it("FAIL-5 is bounded, together with the stacks of the causes", () => {
    const long = (place: number): readonly string[] =>
      Array.from({ length: 30 }, (_, line) => `f (/app/${"x".repeat(250)}/${place}.ts:${line}:1)`);
    let error = errorAt("root", long(0));
    for (let place = 1; place < 40; place++) error = errorAt("link", long(place), error);
    let [length, depth] = [0, 0];
    for (let each: Failure | undefined = kept(error); each !== undefined; each = each.cause) {
      length += each.stack?.length ?? 0;
      depth++;
    }
    expect(depth).toBe(16);
    expect(length).toBeGreaterThan(1000);
    expect(length).toBeLessThanOrEqual(4096);
  });

  it("FAIL-5 does not repeat the frames that a cause shares with the error around it", () => {
    const shared = "main (/app/main.ts:9:9)";
    const error = errorAt(
      "outer",
      ["wrap (/app/a.ts:1:1)", shared],
      errorAt("inner", ["deep (/app/b.ts:2:2)", shared]),
    );
    const failure = kept(error);
    expect(failure.stack).toBe("at wrap (/app/a.ts:1:1)\nat main (/app/main.ts:9:9)");
    expect(failure.cause?.stack).toBe("at deep (/app/b.ts:2:2)");
  });
});

describe("FAIL-5 the stack of a thrown value", () => {
  it("DATA-9 is masked, and a message that quotes a stack adds no frames", () => {
    const error = errorAt("failed:\n    at quoted (/app/quoted.ts:1:1)", ["own (/app/hunter2/app.ts:1:1)"]);
    expect(kept(error, (text) => text.replaceAll("hunter2", "***")).stack).toBe("at own (/app/***/app.ts:1:1)");
  });

  it.each([
    ["a text", "it broke"],
    ["null", null],
    ["an error without a stack", Object.assign(new Error("no"), { stack: undefined })],
    ["a stack that is a list", Object.assign(new Error("no"), { stack: ["at x (/a.ts:1:1)"] })],
    ["a stack of Node only", errorAt("no", ["node:internal/net:1:1"])],
    [
      "a stack that throws",
      Object.defineProperty(new Error("no"), "stack", {
        get: () => {
          throw new Error("hostile");
        },
      }),
    ],
  ])("FAIL-5 is absent for %s", (_, thrown) => {
    expect(kept(thrown)).not.toHaveProperty("stack");
  });

  it("FAIL-5 JOURNAL-4 survives being written as JSON, and a ring of causes ends", () => {
    const error = errorAt("a", ["x (/app/\ud800.ts:1:1)"]);
    error.cause = error;
    const failure = kept(error);
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
    expect(failure.cause).toBeUndefined();
  });
});
