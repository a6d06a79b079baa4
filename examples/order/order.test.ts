// Tests of the order in virtual time: days pass at once, and nothing is left on the disk.

import { openTestEngine, type TestEngine } from "segno/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { orderWorkflow } from "./order.ts";
import { Warehouse } from "./warehouse.ts";

const small = { order: "S1", article: "kettle", amount: 2, price: 30, city: "Oslo" };
const large = { ...small, order: "L1", amount: 60 };

let test: TestEngine;
let warehouse: Warehouse;

beforeEach(async () => {
  warehouse = new Warehouse({ kettle: 100 });
  // An engine that opens after a crash finds the functions of a workflow only if the workflow is registered.
  test = await openTestEngine({ workflows: [orderWorkflow(warehouse)] });
});
afterEach(() => test[Symbol.asyncDispose]());

/** Starts an order, and waits until it has nothing to do but wait. */
async function start(input: typeof small) {
  const execution = await test.start(orderWorkflow(warehouse), input);
  await test.untilIdle();
  return execution;
}

describe("an order", () => {
  it("ships when it is paid, and needs no approval if it is small", async () => {
    const execution = await start(small);
    expect(warehouse.stock.get("kettle")).toBe(98);
    await execution.signal("payment", { amount: 60 });
    expect(await execution.result()).toEqual({ parcel: "parcel-S1-Oslo" });
  });

  it("waits for one of two people if it is large", async () => {
    const execution = await start(large);
    expect(await execution.approve("approval", { by: "eve" })).toMatchObject({ kind: "ignored" });
    await test.advance("23h");
    await execution.approve("approval", { by: "bob" });
    await execution.signal("payment", { amount: 1800 });
    expect(await execution.result()).toEqual({ parcel: "parcel-L1-Oslo" });
  });

  it("gives the articles back when nobody approves within a day", async () => {
    const execution = await start(large);
    await test.advance("1d");
    expect((await execution.status()).failure).toMatchObject({ code: "APPROVAL_EXPIRED" });
    expect(warehouse.stock.get("kettle")).toBe(100);
  });

  it("gives the articles back when it is not paid within three days", async () => {
    const execution = await start(small);
    await test.advance("3d");
    expect((await execution.status()).failure).toMatchObject({ code: "SIGNAL_TIMEOUT" });
    expect(warehouse.stock.get("kettle")).toBe(100);
  });

  it("refuses a payment that is not a number, and waits for another", async () => {
    const execution = await start(small);
    await expect(execution.signal("payment", { amount: "a lot" })).rejects.toMatchObject({ code: "SIGNAL_INVALID" });
    await execution.signal("payment", { amount: 60 });
    expect(await execution.result()).toEqual({ parcel: "parcel-S1-Oslo" });
  });

  it("pays back and gives the articles back when it cannot ship", async () => {
    const execution = await start({ ...small, city: "Atlantis" });
    await execution.signal("payment", { amount: 60 });
    await expect(execution.result()).rejects.toThrow("no parcel service goes to Atlantis");
    expect([...warehouse.payments]).toEqual([]);
    expect(warehouse.stock.get("kettle")).toBe(100);
  });

  it("survives a crash while it waits, and reserves nothing twice", async () => {
    const { id } = await start(small);
    await test.crash();
    const execution = await test.get(id);
    await execution.signal("payment", { amount: 60 });
    await test.untilIdle();
    expect((await execution.status()).status).toBe("completed");
    expect(warehouse.stock.get("kettle")).toBe(98);
  });
});
