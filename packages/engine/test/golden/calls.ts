// A golden execution about recorded calls: repeated names, a large value, and an attempt that gets them back.

import { durationMs } from "@segno/kernel";
import type { HandlerContext } from "../../src/agents/step-context.ts";
import { step, type Scenario } from "./scenario.ts";

export const CALLS: Scenario = {
  name: "calls",
  about: "calls that an attempt recorded, and that the next attempt gets back",
  ends: "completed",
  workflows: [
    {
      name: "calls",
      steps: [step("calls", { retry: { attempts: 2, base: durationMs(100) } })],
      output: "${ steps.calls.output }",
    },
  ],
  agents: () => ({
    calls: async (_, context) => {
      const { run, attempt } = context as HandlerContext<unknown>;
      const plan = await run("plan", () => ({ madeBy: attempt }));
      const words = [await run("word", () => "one"), await run("word", () => null)];
      const large = await run("large", () => "x".repeat(70_000));
      if (attempt === 1) throw new Error("not yet");
      return { plan, words, length: large.length };
    },
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "calls", null);
    await fixture.advance(20_000);
  },
};
