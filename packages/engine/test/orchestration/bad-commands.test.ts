// Invalid commands, votes, signals and values: refused with a code before anything is sent.

import { describe, expect, it } from "vitest";
import { contract, stepFailure, runWorkflow } from "./recording-agents.ts";

describe("names", () => {
  it.each([undefined, null])(
    "NAME_INVALID a vote by nobody (%s) and a signal without a name are refused with a code",
    async (nobody) => {
      const { test } = await runWorkflow();
      await using _ = test;
      const handle = await test.start(contract(`name: p\nsteps: [{ id: a, approve: {} }]`));
      await test.untilIdle();
      for (const command of [() => handle.approve("a", { by: nobody as never }), () => handle.signal(nobody as never)])
        await expect(command()).rejects.toMatchObject({ code: /^(NAME_INVALID|INPUT_INVALID)$/u });
    },
  );
});

describe("wishes that cannot be", () => {
  it.each<[string, unknown]>([
    ["a fraction of a grace", { graceMs: 1.5 }],
    ["a negative grace", { graceMs: -1 }],
    ["no number as grace", { graceMs: Number.NaN }],
    ["an endless grace", { graceMs: Number.POSITIVE_INFINITY }],
    ["text as grace", { graceMs: "5s" }],
    ["another mode", { mode: "x" }],
    ["text for a yes", { compensate: "yes" }],
    ["a number as reason", { reason: 5 }],
    ["null", null],
  ])("OPTION_INVALID cancel refuses %s, and the execution can still be read", async (_name, options) => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(`name: w\nsteps: [{ id: a, agent: hang }]`));
    await test.untilIdle();
    const command = async (): Promise<unknown> => handle.cancel(options as never);
    await expect(command()).rejects.toMatchObject({ code: /^(OPTION_INVALID|INPUT_INVALID)$/u });
    await test.crash();
    expect((await (await test.get(handle.id)).status()).status).toBe("running");
  });

  it("JOURNAL-4 a comment of more than 10 MB is refused", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(`name: w\nsteps: [{ id: a, approve: {} }]`));
    await test.untilIdle();
    await expect(handle.approve("a", { by: "x", comment: "x".repeat(11_000_000) })).rejects.toMatchObject({
      code: /^(VALUE_TOO_LARGE|INPUT_INVALID)$/u,
    });
  });
});

describe("a time that no calendar has", () => {
  it("WAIT_TIME_INVALID fails its step, or can at least be asked about", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    const handle = await test.start(contract(`name: w\nsteps: [{ id: a, wait: { until: "\${ input }" } }]`), 9e15);
    await test.untilIdle();
    expect(await test.engine.why(handle.id)).not.toEqual([]);
    expect(await stepFailure(handle)).toMatchObject({ code: "WAIT_TIME_INVALID" });
  });
});

describe("text that cannot be kept", () => {
  it("INPUT_INVALID text that is half a character is refused where it comes in", async () => {
    const { test } = await runWorkflow();
    await using _ = test;
    await expect(
      test.start(contract(`name: w\nsteps: [{ id: a, wait: { signal: go } }]`), "\ud800"),
    ).rejects.toMatchObject({
      code: "INPUT_INVALID",
    });
  });
});
