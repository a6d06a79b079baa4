// `segno work` in a journal in which one execution cannot be read.

import { DatabaseSync } from "node:sqlite";
import { Engine } from "@segno/engine";
import { stepId, type Definition } from "@segno/kernel";
import { afterEach, beforeEach, expect, it } from "vitest";

import { CommandFixture, type Listing } from "./command-fixture.ts";

let shop: CommandFixture;
beforeEach(async () => void (shop = await CommandFixture.open()));
afterEach(() => shop[Symbol.asyncDispose]());

const JOURNAL = ".segno/segno.db";
const WAITS: Definition = {
  name: "waits",
  steps: [{ id: stepId("s"), action: { kind: "wait", on: "signal", signal: "go" } }],
};
const SOUND: Definition = { name: "sound", steps: [{ id: stepId("s"), action: { kind: "run", script: "echo ran" } }] };

/** Two executions: one that waits and is changed by the statement, and one that nobody has begun. */
async function journalWith(statement: string, isPaused = false): Promise<void> {
  const owner = await Engine.open({ file: shop.path(JOURNAL) });
  const handle = await owner.start(WAITS, null, { id: "damaged" });
  for await (const { kind } of handle.events()) if (kind === "step.suspended") break;
  if (isPaused) await handle.pause();
  await owner.close();
  await using poster = await Engine.open({ file: shop.path(JOURNAL), mode: "post" });
  await poster.start(SOUND, null, { id: "sound" });
  const database = new DatabaseSync(shop.path(JOURNAL));
  database.exec(statement);
  database.close();
}

const statuses = async (): Promise<readonly string[]> =>
  (await shop.json<Listing>("list")).executions.map(({ id, status }) => `${id} ${status}`);

const DAMAGE = `UPDATE journal SET body = replace(body, '"workflow":"waits"', '"workflow":"Waits"') WHERE id = 1`;

it.each([
  ["was changed", DAMAGE, false, "running", /! STORE_CORRUPT the execution damaged: row 1 .+; it is skipped\n/u],
  ["was changed while it was paused", DAMAGE, true, "paused", /! STORE_CORRUPT the execution damaged: row 1 .+\n/u],
  [
    "was set aside",
    "UPDATE executions SET quarantined = 'a reason' WHERE id = 'damaged'",
    false,
    "running",
    /! the execution damaged of waits is quarantined: a reason\n/u,
  ],
])(
  "JOURNAL-6 work leaves out an execution that %s, and goes on with the others",
  async (_, sql, isPaused, status, said) => {
    await journalWith(sql, isPaused);
    const work = await shop.run(["work", "--until-idle"]);
    expect(work).toMatchObject({ exitCode: 1, stdout: "" });
    expect(work.stderr).toMatch(said);
    expect(work.stderr.match(/the execution damaged/gu)).toHaveLength(1);
    expect(work.stderr).toContain("sound completed in");
    expect(await statuses()).toEqual(["sound completed", `damaged ${status}`]);
  },
);
