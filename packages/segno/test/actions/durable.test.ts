// Actions on a file, across several processes, and without a store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { ActionExecutor, Engine, type ActionNode } from "../../src/index.ts";
import { after, NotingNode, numbered, uuid, WORKFLOW } from "./sample-actions.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-actions-"));
const engines: Engine[] = [];
let files = 0;

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newFile = (): string => join(folder, `journal-${++files}.db`);

async function openOn(file: string, node: ActionNode): Promise<{ engine: Engine; executor: ActionExecutor }> {
  const engine = await Engine.open({ file, durability: "relaxed", pollMs: 5 });
  engines.push(engine);
  return { engine, executor: new ActionExecutor(engine, { NodeCompute: node }) };
}

describe("a plan on a file", () => {
  it("LEASE-3 goes on in the next process, which knows what was done and refuses what is delivered again", async () => {
    const file = newFile();
    const plan = [after(1), after(2, 1)];
    const first = new NotingNode(({ actionId }) => (actionId === uuid(1) ? 1 : new Promise(() => undefined)));
    const { engine, executor } = await openOn(file, first.node);
    const { id } = await executor.dispatch(plan);
    while (first.calls.length < 2) await new Promise(setImmediate);
    await engine.close();
    const second = new NotingNode();
    const next = await openOn(file, second.node);
    expect(await (await next.engine.get(id)).result()).toEqual({ [uuid(1)]: 1, [uuid(2)]: 2 });
    expect([first.calls, second.calls]).toEqual([
      [
        [1, 1],
        [2, 1],
      ],
      [[2, 2]],
    ]);
    for (const each of plan)
      await expect(next.executor.execute(each)).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    expect((await next.executor.dispatch(plan)).id).toBe(id);
  });

  it("LEASE-4 finds an action among many plans of its workflow", async () => {
    const file = newFile();
    const { engine, executor } = await openOn(file, new NotingNode().node);
    // More than one page of a list.
    for (let number = 1; number <= 120; number++) await executor.execute(numbered(number));
    await engine.close();
    const { executor: next } = await openOn(file, new NotingNode().node);
    await expect(next.execute(numbered(120))).rejects.toMatchObject({ code: "EPOCH_CONFLICT", currentEpoch: 2 });
    expect(await next.execute(numbered(121))).toBe(121);
  });

  it("LEASE-5 can be looked at by a process that does not own the file, as it is at that moment", async () => {
    const file = newFile();
    const { executor: owner } = await openOn(file, new NotingNode().node);
    const { executor: follower } = await openOn(file, new NotingNode().node);
    expect(await follower.status(numbered(1))).toBeUndefined();
    await owner.execute(numbered(1));
    expect(await follower.status(numbered(1))).toEqual(await owner.status(numbered(1)));
  });

  it("LEASE-1 is taken in by the owner of the file only (ENGINE_NOT_OWNER)", async () => {
    const file = newFile();
    await openOn(file, new NotingNode().node);
    const { executor } = await openOn(file, new NotingNode().node);
    await expect(executor.dispatch([numbered(1)])).rejects.toMatchObject({ code: "ENGINE_NOT_OWNER" });
    await expect(executor.execute(numbered(1))).rejects.toMatchObject({ code: "ENGINE_NOT_OWNER" });
  });

  it("DATA-11 its payloads can be removed, and what is delivered again is refused all the same", async () => {
    const { engine, executor } = await openOn(newFile(), new NotingNode().node);
    const run = await executor.dispatch([numbered(1)]);
    await run.result();
    await engine.removePayloads(run.id);
    await expect(executor.execute(numbered(1))).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    expect(await engine.verify(run.id)).toMatchObject({ ok: true });
  });

  it("JOURNAL-4 takes large payloads and gives back large results", async () => {
    const { executor } = await openOn(newFile(), ({ payload }) => payload["text"]);
    const text = "x".repeat(200_000);
    const plan = [1, 2, 3].map((number) => numbered(number, { payload: { workflow_id: WORKFLOW, text } }));
    const results = await (await executor.dispatch(plan)).result();
    expect(Object.values(results)).toEqual([text, text, text]);
  });
});

describe("a plan on no store", () => {
  it("LEASE-4 runs once all the same", async () => {
    await using engine = await Engine.open({ store: "none" });
    const noting = new NotingNode();
    const executor = new ActionExecutor(engine, { NodeCompute: noting.node });
    await (await executor.dispatch([after(1), after(2, 1)])).result();
    await expect(executor.execute(after(2, 1))).rejects.toMatchObject({ code: "EPOCH_CONFLICT", currentEpoch: 2 });
    await expect(executor.dispatch([after(1)])).rejects.toMatchObject({ code: "EPOCH_CONFLICT" });
    await (await executor.dispatch([after(1), after(2, 1)])).result();
    expect(noting.calls.length).toBe(2);
  });
});
