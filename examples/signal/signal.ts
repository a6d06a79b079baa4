// examples/signal/signal.ts
import { Engine, loadContractFile } from "segno";
import { openTestEngine } from "segno/testing";

const order = await loadContractFile("examples/signal/signal.yaml");

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(order, { order: "A1" });
console.log(await execution.signal("paid", { amount: 30 }, { id: "payment-7" }));
console.log(await execution.signal("paid", { amount: 30 }, { id: "payment-7" }));
console.log(await execution.result());
console.log(await execution.signal("paid", { amount: 30 }));

// A test engine has virtual time: an hour passes at once.
await using test = await openTestEngine();
const unpaid = await test.start(order, { order: "B2" });
await test.advance("1m");
await unpaid.signal("paid", { amount: "a lot" }).catch((error: Error) => console.log(error.message));
await test.advance("1h");
console.log((await unpaid.status()).failure?.message);
