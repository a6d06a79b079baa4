import { DatabaseSync } from "node:sqlite";
import { stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { eventually } from "../eventually.ts";

const scratch = scratchFolder();

function one(name: string): Definition {
  return {
    name,
    steps: [{ id: stepId("a"), action: { kind: "agent", agent: "work" } }],
    output: "${ steps.a.output }",
  };
}

describe("an engine on a real file", () => {
  it("JOURNAL-5 waits while another process holds it, says so, and goes on when it is free", async () => {
    const file = scratch.file();
    // On a slow disk a writer thread would commit the start of the step while this test takes the lock.
    const store = await openSqliteStore(file, { busyTimeoutMs: 0, writer: "main" });
    const faults: unknown[] = [];
    const gate = Promise.withResolvers<string>();
    const onFault = (error: unknown): void => void faults.push(error);
    await using engine = await Engine.open({ store, agents: { work: () => gate.promise }, onFault });
    const execution = await engine.start(one("held"));
    const holder = new DatabaseSync(file);
    holder.exec("BEGIN IMMEDIATE");
    gate.resolve("done");
    await eventually(() => expect(engine.lastFault).toMatchObject({ code: "STORE_BUSY" }));
    expect(faults[0]).toMatchObject({ code: "STORE_BUSY" });
    expect((await execution.status()).steps[0]).toMatchObject({ status: "running" });
    holder.exec("COMMIT");
    holder.close();
    expect(await execution.result()).toBe("done");
    await eventually(() => expect(engine.lastFault).toBeUndefined());
    expect(await engine.verify(execution.id)).toMatchObject({ ok: true });
  });

  it("JOURNAL-5 JOURNAL-7 waits while it is full, says so, keeps what ran, and goes on when there is room", async () => {
    const store = await openSqliteStore(scratch.file(), { sizeMaxBytes: 400_000 });
    let runs = 0;
    const work = async (): Promise<string> => {
      runs++;
      return "x".repeat(200_000);
    };
    await using engine = await Engine.open({ store, agents: { work }, onFault: () => undefined });
    const first = await engine.start(one("large"), null, { id: "first" });
    await first.result();
    const second = await engine.start(one("large"), null, { id: "second" });
    await eventually(() => expect(engine.lastFault).toMatchObject({ code: "STORE_FULL" }));
    expect((await second.status()).steps[0]).toMatchObject({ status: "running" });
    await engine.remove("first");
    expect(await second.result()).toHaveLength(200_000);
    expect(runs).toBe(2);
    expect(await engine.verify("second")).toMatchObject({ ok: true });
  });
});
