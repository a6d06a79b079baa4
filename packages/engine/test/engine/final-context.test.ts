// The context of the last event, above the size at which values are stored outside the journal.

import { describe, expect, it } from "vitest";
import type { Engine, EngineOptions, ExecutionHandle, WatchEvent } from "../../src/index.ts";
import { contract, useFixture, pollUntil } from "../running/fixture.ts";

const fixture = useFixture();
const LARGE = "x".repeat(100_000);
const MERGING = contract(`name: f
variables: { all: { kept: true } }
steps:
  - { id: a, agent: large, output: { to: variables.all, merge: merge } }
  - { id: gate, wait: { signal: go }, dependsOn: [a] }
`);
const AGENTS: EngineOptions = { agents: { large: async () => ({ text: LARGE }) } };

async function readContext(handle: ExecutionHandle): Promise<WatchEvent["context"]> {
  let last: WatchEvent | undefined;
  for await (const event of handle.events()) last = event;
  return last?.context;
}

async function atTheGate(): Promise<{ engine: Engine; handle: ExecutionHandle }> {
  const engine = await fixture.current.open(AGENTS);
  const handle = await engine.start(MERGING);
  await pollUntil(async () => (await handle.status()).steps[1]!.status === "suspended", "it waits");
  return { engine, handle };
}

describe("the context of `execution.completed`", () => {
  it("EVENT-1 is the same live and in the history, and holds large values whole", async () => {
    const { engine, handle } = await atTheGate();
    const live = readContext(handle);
    await handle.signal("go");
    expect(await live).toMatchObject({ variables: { all: { kept: true, text: LARGE } } });
    expect(await readContext(await engine.get(handle.id))).toEqual(await live);
  });

  it("EVENT-1 is the same for an execution that was taken up from the store", async () => {
    const first = await atTheGate();
    await fixture.current.closeEngines();
    const engine = await fixture.current.open(AGENTS);
    const handle = await engine.get(first.handle.id);
    const told: WatchEvent[] = [];
    engine.subscribe({ kinds: ["execution.completed"] }, ({ events }) => void told.push(...events));
    await handle.signal("go");
    await pollUntil(() => told.length > 0, "it was told");
    expect(told[0]!.context).toMatchObject({ variables: { all: { kept: true, text: LARGE } } });
    expect(Object.keys((told[0]!.context as { variables: { all: object } }).variables.all)).toEqual(["kept", "text"]);
    expect(await readContext(handle)).toEqual(told[0]!.context);
  });

  it("DATA-11 is left out where values of it were removed", async () => {
    const { engine, handle } = await atTheGate();
    await handle.signal("go");
    await handle.result();
    await engine.removePayloads(handle.id);
    expect(await readContext(handle)).toBeUndefined();
  });
});
