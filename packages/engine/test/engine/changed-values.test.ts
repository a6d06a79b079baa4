// Values belong to the journal: a program that changes a value it got changes it for no other reader.

import type { Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { workflow, type AgentFunction, type HandlerContext } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { flow, one, step } from "./sample-flow.ts";

interface Listed {
  readonly list: Json[];
}

/** Ignores the error of a frozen value, which is as good as a copy. */
function tryToChange(value: unknown): void {
  try {
    (value as Listed).list.push("mine");
  } catch {
    // The value is frozen.
  }
}

/** Records its input, changes it, and fails once. */
function meddler(seen: string[], note: (input: Json, token: string) => string): AgentFunction {
  return (input, { token }) => {
    seen.push(note(input, token));
    tryToChange(input);
    if (seen.length === 1) throw new Error("once more");
  };
}

describe("an agent that changes its input", () => {
  it("DATA-10 changes it for nobody, not even for its own next attempt", async () => {
    const seen: string[] = [];
    await using test = await openTestEngine({ agents: { work: meddler(seen, (input) => JSON.stringify(input)) } });
    const given = { list: [1] };
    const handle = await test.start(flow([step("a"), step("b", { after: ["a"] })]), given);
    await test.advance("2s");
    expect((await handle.status()).status).toBe("completed");
    expect(seen).toEqual(['{"list":[1]}', '{"list":[1]}', '{"list":[1]}']);
    expect(given).toEqual({ list: [1] });
  });

  it("IDEM-4 has the same token at its next attempt", async () => {
    const seen: string[] = [];
    await using test = await openTestEngine({ agents: { work: meddler(seen, (_, token) => token) } });
    await test.start(flow([step("a")]), { list: [1] });
    await test.advance("2s");
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(1);
  });
});

describe("a caller that changes", () => {
  it("DATA-10 the input it has started with changes nothing any more", async () => {
    const seen: string[] = [];
    await using test = await openTestEngine({ agents: { work: (input) => void seen.push(JSON.stringify(input)) } });
    const given = { list: [1] };
    const starting = test.start(one(), given);
    given.list.push(2);
    await starting;
    given.list.push(3);
    await test.untilIdle();
    expect(seen).toEqual(['{"list":[1]}']);
  });

  it("DATA-10 the result it has got changes it for no other caller", async () => {
    await using test = await openTestEngine({ agents: { work: async () => ({ list: [1] }) } });
    const handle = await test.start(one());
    tryToChange(await handle.result());
    expect(await handle.result()).toEqual({ list: [1] });
  });
});

describe("an output", () => {
  it("JOURNAL-2 is what it was when it was returned, whatever becomes of it later", async () => {
    const output = { list: [1] };
    const seen: string[] = [];
    await using test = await openTestEngine({
      agents: {
        work: () => {
          setImmediate(() => output.list.push(2));
          return output;
        },
        reads: (input) => void seen.push(JSON.stringify(input)),
      },
    });
    const reads = step("b", { agent: "reads", after: ["a"], input: "${ steps.a.output }" });
    const handle = await test.start(flow([step("a"), reads], { output: "${ steps.a.output }" }));
    await test.untilIdle();
    expect([...seen, JSON.stringify(await handle.result())]).toEqual(['{"list":[1]}', '{"list":[1]}']);
  });

  it("DATA-10 that a dependant changes is the same for the others", async () => {
    const seen: string[] = [];
    const note = ({ outputs: { made } }: HandlerContext<{ readonly made: { readonly list: number[] } }>): void => {
      seen.push(JSON.stringify(made));
      tryToChange(made);
    };
    const built = workflow("dependants")
      .step("made", () => ({ list: [1] }))
      .step("first", { dependsOn: ["made"] }, note)
      .step("second", { dependsOn: ["made", "first"] }, note)
      .output(({ outputs }) => outputs.made);
    await using test = await openTestEngine();
    const handle = await test.start(built);
    expect(await handle.result()).toEqual({ list: [1] });
    expect(seen).toEqual(['{"list":[1]}', '{"list":[1]}']);
  });
});
