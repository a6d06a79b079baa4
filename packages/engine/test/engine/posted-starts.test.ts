// Two starts with the same id, of which at least one is posted (LEASE-5, K12).

import type { ExecutionId } from "@segno/kernel";
import { afterEach, describe, expect, it } from "vitest";
import type { CommitBatch } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { SharedEngines } from "./shared-engines.ts";
import { one } from "./sample-flow.ts";

const PAY = one({}, { name: "pay" });
const REFUND = one({}, { name: "refund" });
const ID = { id: "order-7" };
const MINUTE = 60_000;

let shared = new SharedEngines();
afterEach(async () => {
  await shared.close();
  shared = new SharedEngines();
});

/** Posts a start for the first execution that it is to create, just before it does. */
class RacedStore extends MemoryStore {
  race: ((id: ExecutionId) => Promise<unknown>) | undefined;

  override async commit(batch: CommitBatch): Promise<void> {
    const { race } = this;
    const created = batch.appends.find(({ afterSeq }) => afterSeq === 0)?.execution;
    if (race !== undefined && created !== undefined) {
      this.race = undefined;
      await race(created);
    }
    return super.commit(batch);
  }
}

describe("a start with the id of a posted start", () => {
  it("LEASE-5 is refused to a second process, and the first one runs (EXECUTION_EXISTS)", async () => {
    const [first, second] = [await shared.poster(), await shared.poster()];
    expect(await shared.start(first, PAY, 1, ID)).toBe("order-7");
    expect(await shared.start(second, REFUND, 2, ID)).toBe("EXECUTION_EXISTS");
    await shared.open();
    await shared.time.advance(1000);
    expect([shared.ran, shared.faults]).toEqual([[["pay", 1]], []]);
  });

  it("LEASE-5 is refused to the owner, and the acknowledged one runs (EXECUTION_EXISTS)", async () => {
    const [owner, poster] = [await shared.open(), await shared.poster()];
    expect(await shared.start(poster, PAY, 1, ID)).toBe("order-7");
    expect(await shared.start(owner, REFUND, 2, ID)).toBe("EXECUTION_EXISTS");
    await shared.time.advance(MINUTE);
    expect([shared.ran, shared.faults]).toEqual([[["pay", 1]], []]);
  });

  it("LEASE-5 is refused to an owner that leaves the posted one alone (EXECUTION_EXISTS)", async () => {
    expect(await shared.start(await shared.poster(), PAY, 1, ID)).toBe("order-7");
    const owner = await shared.open({ resume: "own" });
    expect(await shared.start(owner, REFUND, 2, ID)).toBe("EXECUTION_EXISTS");
    await shared.time.advance(2 * MINUTE);
    expect(shared.ran).toEqual([]);
  });

  it("LEASE-5 is refused to the owner also if the other one is posted while it commits (EXECUTION_EXISTS)", async () => {
    const store = new RacedStore();
    shared = new SharedEngines(store);
    const [owner, poster] = [await shared.open(), await shared.poster()];
    const posted: string[] = [];
    store.race = async (id) => posted.push(await shared.start(poster, PAY, 1, { id }));
    const direct = shared.start(owner, REFUND, 2, ID);
    await shared.time.advance(2 * MINUTE);
    expect([posted, await direct]).toEqual([["order-7"], "EXECUTION_EXISTS"]);
    expect(shared.ran).toEqual([["pay", 1]]);
  });

  it("LEASE-5 that a program posted without asking is dropped, and reported once", async () => {
    const [owner, poster] = [await shared.open(), await shared.poster()];
    await shared.start(poster, PAY, 1, ID);
    const [message] = (await shared.store.poll()).messages;
    await owner.start(PAY, 0, { id: "other" });
    for (const execution of ["other" as ExecutionId, message!.execution])
      await shared.store.post({ execution, body: message!.body, postedAt: message!.postedAt });
    await shared.time.advance(3 * MINUTE);
    expect(shared.ran).toEqual([
      ["pay", 0],
      ["pay", 1],
    ]);
    expect(shared.faults).toEqual(["EXECUTION_EXISTS", "EXECUTION_EXISTS"]);
  });
});

describe("a start with a key and the id of a posted start", () => {
  it("IDEM-1 is refused if the keys differ, and its key stays free (EXECUTION_EXISTS)", async () => {
    const [first, second] = [await shared.poster(), await shared.poster()];
    const started = shared.start(first, PAY, 1, { ...ID, idempotencyKey: "K3" });
    expect(await shared.start(second, REFUND, 2, { ...ID, idempotencyKey: "K4" })).toBe("EXECUTION_EXISTS");
    const owner = await shared.open();
    await shared.time.advance(1000);
    expect(await started).toBe("order-7");
    expect((await owner.list({ idempotencyKey: "K4" })).executions).toEqual([]);
    await owner.start(REFUND, 2, { idempotencyKey: "K4" });
    await shared.time.advance(1000);
    expect(shared.ran).toEqual([
      ["pay", 1],
      ["refund", 2],
    ]);
  });

  it("IDEM-1 is the same start if key and payload are the same, in every process", async () => {
    const [first, second] = [await shared.poster(), await shared.poster()];
    const again = { ...ID, idempotencyKey: "K3" };
    const posted = [shared.start(first, PAY, 1, again), shared.start(second, PAY, 1, again)];
    await shared.time.advance(100);
    const owner = await shared.open();
    posted.push(shared.start(owner, PAY, 1, again));
    await shared.time.advance(1000);
    expect(await Promise.all(posted)).toEqual(["order-7", "order-7", "order-7"]);
    expect([shared.ran, shared.faults]).toEqual([[["pay", 1]], []]);
  });

  it("IDEM-1 can be repeated with its id after it was unanswered, also by the process that becomes the owner", async () => {
    const again = { ...ID, idempotencyKey: "K3" };
    const poster = await shared.poster();
    for (let count = 0; count < 2; count++) {
      const unanswered = shared.start(poster, PAY, 1, again);
      await shared.time.advance(31_000);
      expect(await unanswered).toBe("START_UNANSWERED");
    }
    expect((await shared.store.poll()).messages).toHaveLength(1);
    const owner = await shared.open();
    expect(await shared.start(owner, PAY, 1, again)).toBe("order-7");
    await shared.time.advance(1000);
    expect(shared.ran).toEqual([["pay", 1]]);
  });

  it("IDEM-2 a key that another input has is refused to the caller, and the owner reports it once", async () => {
    const [first, second] = [await shared.poster(), await shared.poster()];
    const started = [
      shared.start(first, PAY, 1, { idempotencyKey: "K3" }),
      shared.start(second, PAY, 2, { idempotencyKey: "K3" }),
    ];
    await shared.time.advance(100);
    await shared.open();
    await shared.time.advance(2 * MINUTE);
    expect((await Promise.all(started))[1]).toBe("IDEMPOTENCY_CONFLICT");
    expect([shared.ran, shared.faults]).toEqual([[["pay", 1]], ["IDEMPOTENCY_CONFLICT"]]);
  });
});
