// Many votes: one person who votes again and again costs nothing, and an output that would be too large fails the step.

import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { contract } from "./questions.ts";

const EXPIRES = contract(
  "name: expires\nsteps: [{ id: ask, approve: { quorum: 2, expires: 1h, onExpire: approve } }]\n",
);
const MANY = contract("name: many\nsteps: [{ id: ask, approve: { quorum: 200, schema: {} } }]\n");

describe("the votes on an approval", () => {
  it("BEYOND-2 are kept once for each voter, and the journal has all", async () => {
    await using engine = await Engine.open({ store: "none" });
    const handle = await engine.start(EXPIRES);
    for (let i = 0; i < 500; i++) await handle.approve("ask", { by: "ann", comment: `${i}` });
    const { steps } = await handle.status();
    expect(steps[0]!.detail).toMatchObject({ kind: "wait", votes: [{ by: "ann", comment: "499" }] });
    await handle.requestChanges("ask", { by: "bob", comment: "no" });
    await handle.approve("ask", { by: "ann" });
    expect((await handle.status()).steps[0]!.detail).toMatchObject({
      votes: [
        { by: "bob", verdict: "changes" },
        { by: "ann", verdict: "approve" },
      ],
    });
    await handle.cancel();
  });

  it("JOURNAL-4 VALUE_TOO_LARGE fails the step whose votes have more than 10 MB together", async () => {
    await using engine = await Engine.open({ store: "none" });
    const handle = await engine.start(MANY);
    const answer = "x".repeat(60_000);
    for (let i = 0; i < 200; i++) await handle.approve("ask", { by: `voter ${i}`, answer });
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "VALUE_TOO_LARGE" } });
  });
});
