// Answers to approvals: a vote brings data that the schema of the approval checks (BEYOND-2).

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

import { approval, Engine, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { ANYBODY, contract } from "./questions.ts";

const COUNT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const;

const ORDER = contract(`
name: order
steps:
  - id: ask
    approve: { quorum: 2, expires: 1h, onExpire: approve, schema: ${JSON.stringify(COUNT)} }
output: \${ steps.ask.output }
`);

describe("the answer of a vote", () => {
  it("BEYOND-2 is in the output, with the answer of the vote that decided", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(ORDER);
    await test.untilIdle();
    await handle.approve("ask", { by: "ann", answer: { count: 1 } });
    await handle.approve("ask", { by: "bob", answer: { count: 2 } });
    expect(await handle.result()).toEqual({
      approved: true,
      expired: false,
      votes: [
        { by: "ann", verdict: "approve", comment: null, answer: { count: 1 } },
        { by: "bob", verdict: "approve", comment: null, answer: { count: 2 } },
      ],
      answer: { count: 2 },
    });
  });

  it("BEYOND-2 is null when the approval expires", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(ORDER);
    await test.untilIdle();
    await handle.approve("ask", { by: "ann", answer: { count: 1 } });
    await test.advance("1h");
    expect(await handle.result()).toMatchObject({ expired: true, answer: null, votes: [{ answer: { count: 1 } }] });
  });
});

describe("a vote without a valid answer", () => {
  it.each([
    ["is missing", {}, "asks for an answer"],
    ["does not fit", { answer: { count: "many" } }, "`count` must be integer"],
    ["is null", { answer: null }, "must be object"],
  ])("BEYOND-2 is rejected when it %s, and the approval still waits", async (_case, vote, message) => {
    await using test = await openTestEngine();
    const handle = await test.start(ORDER);
    await test.untilIdle();
    await expect(handle.approve("ask", { by: "ann", id: "a1", ...vote })).rejects.toMatchObject({
      code: "ANSWER_INVALID",
      message: expect.stringContaining(message),
    });
    expect(await readEvents(handle, "approval.refused")).toMatchObject([
      { id: "a1", by: "ann", failure: { code: "ANSWER_INVALID" } },
    ]);
    expect(await handle.approve("ask", { by: "ann", id: "a1", answer: { count: 1 } })).toMatchObject({
      kind: "ignored",
      reason: "duplicate",
    });
    for (const by of ["ann", "bob"]) await handle.approve("ask", { by, answer: { count: 7 } });
    expect(await handle.result()).toMatchObject({ answer: { count: 7 } });
  });

  it("BEYOND-2 is rejected by an approval without a schema, and in a vote that does not approve", async () => {
    await using test = await openTestEngine();
    const [plain, asking] = [await test.start(ANYBODY), await test.start(ORDER)];
    await test.untilIdle();
    await expect(plain.approve("ask", { by: "ann", answer: 1 })).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    const rejection = asking.reject("ask", { by: "ann", answer: { count: 1 } });
    await expect(rejection).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    expect(await asking.requestChanges("ask", { by: "ann", comment: "fewer" })).toEqual({ kind: "accepted" });
  });

  it("JOURNAL-4 is refused before it is sent if it is not JSON or too large", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(ORDER);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    await expect(handle.approve("ask", { by: "ann", answer: cycle as never })).rejects.toThrow("the answer of a vote");
    const large = handle.approve("ask", { by: "ann", answer: "x".repeat(65_536) });
    await expect(large).rejects.toMatchObject({ code: "VALUE_TOO_LARGE" });
  });
});

describe("the schema of an answer", () => {
  it("LEASE-5 is checked when another process posts the vote, and answers survive a restart", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "segno-answers-")), "segno.db");
    const first = await Engine.open({ file });
    const { id } = await first.start(ORDER);
    await first.close();
    const poster = await Engine.open({ file, mode: "post" });
    const posted = await poster.get(id);
    expect(await posted.approve("ask", { by: "ann", answer: { count: "no" } })).toEqual({ kind: "posted" });
    expect(await posted.approve("ask", { by: "ann", answer: { count: 3 } })).toEqual({ kind: "posted" });
    await poster.close();
    await using engine = await Engine.open({ file });
    const handle = await engine.get(id);
    await handle.approve("ask", { by: "bob", answer: { count: 4 } });
    expect(await handle.result()).toMatchObject({ answer: { count: 4 }, votes: [{ answer: { count: 3 } }, {}] });
    expect(await readEvents(handle, "approval.refused")).toMatchObject([{ by: "ann" }]);
  });

  it("may be a Standard Schema, which types the answer", async () => {
    const flow = workflow("sizes")
      .step("ask", approval({ by: ["ann"], schema: z.object({ size: z.enum(["s", "m"]) }) }))
      .step("plain", approval())
      .step("pick", { dependsOn: ["ask", "plain"] }, ({ outputs }) => {
        expectTypeOf(outputs.ask.answer).toEqualTypeOf<{ size: "s" | "m" } | null>();
        expectTypeOf(outputs.plain).not.toHaveProperty("answer");
        return outputs.ask.answer?.size ?? "none";
      })
      .output(({ outputs }) => outputs.pick);
    await using test = await openTestEngine();
    const handle = await test.start(flow);
    await test.untilIdle();
    const unfit = handle.approve("ask", { by: "ann", answer: { size: "xl" } });
    await expect(unfit).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    await handle.approve("ask", { by: "ann", answer: { size: "m" } });
    await handle.approve("plain", { by: "bob" });
    expect(await handle.result()).toBe("m");
  });
});
