// examples/testing/refund.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";
import { fail, hang, openTestEngine, script, succeed } from "segno/testing";
import { refund } from "./refund.ts";

await test("a small refund is paid after a day, and a busy bank is tried again", async () => {
  const pay = script([fail("the bank is busy"), succeed("paid")]);
  await using engine = await openTestEngine({ agents: { pay } });
  const execution = await engine.start(refund, { order: "A1", cents: 500 });
  await engine.advance("23h");
  assert.equal(pay.calls.length, 0);
  await engine.advance("1h");
  assert.equal(pay.calls.length, 1);
  await engine.advance("10s"); // the delay before the second attempt
  assert.equal(await execution.result(), "paid");
  assert.deepEqual(pay.calls[1]?.input, { order: "A1", cents: 500 });
});

await test("a large refund waits for a person, and expires after two days", async () => {
  await using engine = await openTestEngine({ agents: { pay: script([succeed("paid")]) } });
  const execution = await engine.start(refund, { order: "B2", cents: 20_000 });
  await engine.untilIdle();
  const [waiting] = await engine.engine.why(execution.id);
  assert.equal(waiting?.reason.kind, "approval");
  await engine.advance("2d");
  assert.equal((await execution.status()).failure?.code, "APPROVAL_EXPIRED");
});

await test("a crash while the bank is asked causes another attempt with the same token", async () => {
  const tokens: string[] = [];
  let isFirst = true;
  await using engine = await openTestEngine({
    workflows: [refund],
    agents: {
      pay: (_, { token }) => {
        tokens.push(token);
        if (!isFirst) return "paid";
        isFirst = false;
        return new Promise<string>(() => undefined); // never returns
      },
    },
  });
  const { id } = await engine.start(refund, { order: "C3", cents: 500 });
  await engine.advance("1d");
  await engine.crash();
  await engine.advance("1m");
  assert.equal(await (await engine.get(id)).result(), "paid");
  assert.equal(tokens.length, 2);
  assert.equal(tokens[0], tokens[1]);
});

await test("a bank that never answers does not keep a cancelled refund", async () => {
  await using engine = await openTestEngine({ agents: { pay: script([hang()]) } });
  const execution = await engine.start(refund, { order: "D4", cents: 500 });
  await engine.advance("1d");
  await execution.cancel({ reason: "the customer keeps the goods" });
  await engine.advance("5s"); // the grace of a running attempt
  assert.equal((await execution.status()).status, "cancelled");
});
