// Ruling 49: the resources of an abandoned attempt that still runs, and the holdings that a step is told.

import { describe, expect, it } from "vitest";
import { openTestEngine, type TestEngine, type TestEngineOptions } from "../../src/testing/index.ts";
import { contract } from "../running/fixture.ts";
import { recordedLogger, type RecordedLogger } from "../../src/testing/recorded-logger.ts";

const forever = (): Promise<never> => new Promise(() => undefined);
const AGENTS = { hold: forever, want: () => "has it" };

function holding(resource: string): string {
  return `
name: holds
resources: { device: ${resource}, other: 1 }
steps: [{ id: a, agent: hold, resources: { device: 1 } }]
`;
}

const wanting = (resource: string): string => holding(resource).replace("agent: hold", "agent: want");

interface Cancelled extends AsyncDisposable {
  readonly test: TestEngine;
  readonly logger: RecordedLogger;
  readonly warnings: () => readonly string[];
}

/** An engine with a number of abandoned attempts. */
async function abandoned(yaml: string, times = 1, options: Partial<TestEngineOptions> = {}): Promise<Cancelled> {
  const logger = recordedLogger();
  const test = await openTestEngine({ agents: AGENTS, logger, ...options });
  for (let time = 0; time < times; time++) {
    const handle = await test.start(contract(yaml));
    await test.untilIdle();
    await handle.cancel({ graceMs: 0 });
    await test.untilIdle();
  }
  const warnings = (): readonly string[] =>
    logger.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  return { test, logger, warnings, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() };
}

describe("a resource of an attempt that was abandoned", () => {
  it.each(["1", "{ capacity: 1 }", "{ capacity: 1, onAbandon: hold }"])(
    "CANCEL-2 SCHED-4 stays held with `%s`",
    async (resource) => {
      await using fixture = await abandoned(holding(resource));
      const handle = await fixture.test.start(contract(wanting(resource)));
      await fixture.test.advance("1h");
      expect((await handle.status()).status).toBe("running");
      expect(await fixture.test.engine.why(handle.id, "a")).toMatchObject([
        { reason: { kind: "resource", resource: "device", holders: [{ isLingering: true }] } },
      ]);
    },
  );

  it("CANCEL-2 SCHED-4 is free at once with `onAbandon: release` (ruling 49)", async () => {
    const resource = "{ capacity: 1, onAbandon: release }";
    await using fixture = await abandoned(holding(resource), 2);
    const handle = await fixture.test.start(contract(wanting(resource)));
    await fixture.test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
    expect(fixture.warnings()).toEqual([]);
  });

  it("CANCEL-2 SCHED-4 is free at once where the engine says so, whatever the workflow says", async () => {
    const resources = { device: { kind: "capacity", capacity: 1, onAbandon: "release" } } as const;
    await using fixture = await abandoned(holding("1"), 1, { resources });
    const handle = await fixture.test.start(contract(wanting("1")));
    await fixture.test.untilIdle();
    expect((await handle.status()).status).toBe("completed");
  });

  it("CANCEL-2 is told in a warning the first time, with the way to give it back", async () => {
    await using fixture = await abandoned(holding("2"), 2);
    expect(fixture.warnings()).toEqual([
      "an abandoned attempt still runs: it keeps the resource `device` in use until it ends; " +
        "`onAbandon: release` at the resource frees it at once",
    ]);
  });

  it("OPTION_INVALID is neither lent nor kept: anything but hold and release is refused", async () => {
    const resources = { device: { kind: "capacity", capacity: 1, onAbandon: "lend" as "hold" } } as const;
    await expect(openTestEngine({ resources })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(() => contract(holding("{ capacity: 1, onAbandon: lend }"))).toThrow("expected `hold` or `release`");
  });
});

it("SCHED-4 `context.resources` of an item holds what the map says, and what the item says itself counts (ruling 49)", async () => {
  const seen: unknown[] = [];
  await using test = await openTestEngine({ agents: { look: (_, { resources }) => void seen.push(resources) } });
  await test.start(
    contract(`
name: items
resources: { device: 4, other: 2, third: 1 }
steps:
  - id: each
    map: { over: "[\`1\`]", steps: [{ id: item, agent: look, resources: { device: 3, third: 1 } }] }
    resources: { device: 1, other: 2 }
`),
  );
  await test.untilIdle();
  expect(seen).toEqual([{ device: 3, other: 2, third: 1 }]);
});
