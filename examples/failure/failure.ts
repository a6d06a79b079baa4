// examples/failure/failure.ts
import { PermanentError, sleep, workflow } from "segno";
import { openTestEngine } from "segno/testing";

const policies = ["abort", "finish", "compensate"] as const;

const order = (onFailure: (typeof policies)[number]) =>
  workflow(`order-${onFailure}`, { onFailure })
    .step("reserve", () => "seat 7")
    .compensate("reserve", () => "seat 7 is free again")
    .step("pay", { dependsOn: ["reserve"] }, () => {
      throw new PermanentError("the card has expired");
    })
    .step("ticket", { dependsOn: ["pay"] }, () => "printed")
    .step("survey", { dependsOn: ["reserve"] }, sleep("1h"))
    .step("thanks", { dependsOn: ["survey"] }, () => "sent")
    .step("close", { dependsOn: [{ step: "pay", on: "settled" }] }, () => "closed");

// The same order three times, in a test engine with virtual time.
await using test = await openTestEngine();
const table: Record<string, Record<string, string>> = {};
for (const policy of policies) {
  const execution = await test.start(order(policy));
  await test.advance("1h");
  for (const { name, status } of (await execution.status()).steps) (table[name] ??= {})[policy] = status;
}
console.table(table);
