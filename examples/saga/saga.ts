// examples/saga/saga.ts
import { PermanentError, waitForSignal, workflow } from "segno";
import { openTestEngine } from "segno/testing";

let isLocked = true;

const shop = workflow<{ name: string }>("shop")
  .step("database", ({ input }) => `${input.name}-db`)
  .compensate("database", ({ output }) => {
    if (isLocked) throw new PermanentError("somebody uses it");
    console.log(output, "is dropped");
  })
  .step("address", { dependsOn: ["database"] }, ({ input }) => `${input.name}.example.com`)
  .compensate("address", { retry: { attempts: 5, base: "10s" }, timeout: "30s" }, ({ output, attempt }) => {
    if (attempt < 2) throw new Error("the registry is busy");
    console.log(output, "is free again, at attempt", attempt);
  })
  .step("open", { dependsOn: ["address"] }, waitForSignal("open"))
  .output(({ outputs }) => outputs.address);

await using test = await openTestEngine();
const execution = await test.start(shop, { name: "tea" });
await test.untilIdle();

// No step has failed; the customer has changed their mind.
await execution.cancel({ compensate: true, reason: "coffee it is" });
await test.advance("1m");
for (const { step, failure } of (await execution.status()).notUndone ?? [])
  console.log(step, "stays:", failure.message);

// Only the compensation that failed is tried again.
isLocked = false;
await execution.retry({ undo: true });
await test.untilIdle();
console.log((await execution.status()).status);
