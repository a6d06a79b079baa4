// A second start of one id, which another program wrote into the inbox.

import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { contract, pollUntil, useFixture } from "./fixture.ts";

const fixture = useFixture();
const FLOW = contract(`
name: flow
steps:
  - { id: only, agent: count, input: "\${ input }" }
output: "\${ steps.only.output }"
`);

describe("a start that another program posted for the id of an acknowledged start", () => {
  it.each([
    ["with the mark of a start", 1],
    ["without the mark of a start", null],
  ])("LEASE-5 IDEM-1 is reported and dropped %s, and the first start runs once", async (_, mark) => {
    await fixture.current.open();
    await fixture.current.closeEngines();
    const client = await fixture.current.open({ mode: "post" });
    const handle = await client.start(FLOW, "first", { id: "mine" });
    using database = new DatabaseSync(fixture.current.file);
    database
      .prepare(
        "INSERT INTO inbox (execution, posted_at, body, is_start) SELECT execution, posted_at, body, ? FROM inbox",
      )
      .run(mark);
    const runs: unknown[] = [];
    await fixture.current.open({ agents: { count: (input) => runs.push(input) } });
    expect(await handle.result()).toBe(1);
    const left = database.prepare("SELECT count(*) AS count FROM inbox");
    await pollUntil(() => left.get()!["count"] === 0, "the inbox is empty");
    expect(runs).toEqual(["first"]);
    expect(fixture.current.faults.splice(0)).toMatchObject([{ code: "EXECUTION_EXISTS" }]);
  });
});
