// The complete output of a step, even if it is stored outside the journal.

import { describe, expect, it } from "vitest";
import { Engine, type EngineOptions } from "../../src/index.ts";
import { contract, useFixture } from "../running/fixture.ts";

const fixture = useFixture();
const LARGE = "x".repeat(100_000);
const AGENTS: EngineOptions = {
  agents: {
    large: async () => ({ text: LARGE }),
    echo: async (input) => ({ input, text: LARGE }),
    fail: () => Promise.reject(new TypeError("no")),
  },
};
const MANY = contract(`name: f
onFailure: finish
steps:
  - { id: big, agent: large }
  - { id: each, map: { over: '[\`1\`, \`2\`]', steps: [{ id: say, agent: echo, input: '\${ item }' }] } }
  - { id: pairs, map: { over: '[\`1\`]', steps: [{ id: say, agent: echo, input: '\${ item }' }, { id: then, agent: large, dependsOn: [say] }] } }
  - { id: bad, agent: fail, fallback: spare, retry: 1 }
  - { id: spare, agent: large }
  - { id: off, agent: large, when: '\`false\`' }
  - { id: worse, agent: fail, retry: 1, onError: continue }
`);

describe("the output of a step", () => {
  it("DATA-8 is given whole above the size at which it leaves the journal, also by another engine", async () => {
    const handle = await (await fixture.current.open(AGENTS)).start(MANY);
    await handle.result();
    await fixture.current.closeEngines();
    const again = await (await fixture.current.open({ mode: "readOnly" })).get(handle.id);
    expect(await again.output("big")).toEqual({ text: LARGE });
    expect(await again.output("each/1")).toEqual({ input: 2, text: LARGE });
    expect(await again.output("pairs/0/say")).toEqual({ input: 1, text: LARGE });
    expect(await again.output("pairs/0")).toEqual({ text: LARGE });
    expect(await again.output("each")).toEqual([1, 2].map((input) => ({ input, text: LARGE })));
  });

  it("STATE-8 is that of the fallback where that stood in, and nothing where there is none", async () => {
    const handle = await (await fixture.current.open(AGENTS)).start(MANY);
    await handle.result();
    expect(await handle.output("bad")).toEqual({ text: LARGE });
    expect(await handle.output("off")).toBeUndefined();
    expect(await handle.output("worse")).toBeUndefined();
    for (const name of ["nobody", "each/2", "pairs/1", "big/0", "each/x"])
      await expect(handle.output(name)).rejects.toMatchObject({ code: "STEP_UNKNOWN" });
  });

  it("DATA-11 PAYLOAD_REMOVED says that it was removed", async () => {
    const engine = await fixture.current.open(AGENTS);
    const handle = await engine.start(MANY);
    await handle.result();
    await engine.removePayloads(handle.id);
    for (const step of ["big", "each", "each/0", "pairs/0"])
      await expect(handle.output(step)).rejects.toMatchObject({ code: "PAYLOAD_REMOVED" });
  });

  it("is given without a store as well", async () => {
    await using engine = await Engine.open({ store: "none", ...AGENTS });
    const handle = await engine.start(MANY);
    await handle.result();
    expect(await handle.output("each/0")).toEqual({ input: 1, text: LARGE });
  });
});
