// The times of steps in the output of the command.

import { writeFile } from "node:fs/promises";

import { Engine, type StepReport } from "@segno/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

const CONTRACT = `
name: times
steps:
  - { id: flaky, run: 'test "$SEGNO_ATTEMPT" = 2 || exit 75', retry: { attempts: 2, base: 20ms } }
  - { id: each, map: { over: "[\`1\`, \`2\`]", steps: [{ id: look, wait: { for: 10ms } }] }, dependsOn: [flaky] }
  - { id: met, barrier: true, dependsOn: [each] }
  - { id: no, when: "input.go", run: exit 0 }
  - { id: bad, run: exit 3, onError: continue }
  - { id: behind, run: exit 0, dependsOn: [bad] }
output: \${ steps.flaky.durationMs }
`;

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("times.yaml"), CONTRACT);
});
afterAll(() => shop[Symbol.asyncDispose]());

type Shown = Pick<StepReport, "name" | "startedAt" | "completedAt" | "durationMs">;

interface Document {
  readonly output: number;
  readonly steps: readonly Shown[];
}

/** Only what is there. */
function readTimes(steps: readonly Shown[]): readonly Shown[] {
  return steps.map(({ name, startedAt, completedAt, durationMs }) =>
    JSON.parse(JSON.stringify({ name, startedAt, completedAt, durationMs })),
  ) as readonly Shown[];
}

describe("JSON of the command", () => {
  it("STATE-4 has the times that `status()` has, and expressions see the same", async () => {
    const run = await shop.run(["run", "times.yaml", "--input", "{}", "--id", "timed", "--db", "times.db", "--json"]);
    const ran = JSON.parse(run.stdout) as Document;
    const shown = await shop.json<Document>("show", "timed", "--db", "times.db");
    await using engine = await Engine.open({ file: shop.path("times.db") });
    const { steps } = await (await engine.get("timed")).status();
    expect(readTimes(ran.steps)).toEqual(readTimes(steps));
    expect(readTimes(shown.steps)).toEqual(readTimes(steps));
    const [flaky] = steps;
    expect(flaky).toMatchObject({ name: "flaky", attempts: 2, durationMs: ran.output });
    expect(flaky!.durationMs).toBeGreaterThanOrEqual(20);
    const without = steps.filter(({ startedAt }) => startedAt === undefined).map(({ name }) => name);
    expect(without.toSorted()).toEqual(["behind", "no"]);
  });
});
