// examples/parcels/order.ts
import { child, Engine, PermanentError, workflow, type ExecutionError } from "segno";

const parcel = workflow<{ what: string; to: string }>("parcel", { version: "1" })
  .step("wrap", ({ input }) => `${input.what} in paper`)
  .step("send", { dependsOn: ["wrap"] }, ({ outputs, input }) => {
    if (input.to === "nowhere") throw new PermanentError("no postman goes there");
    return `${outputs.wrap}, on its way to ${input.to}`;
  })
  .output(({ outputs }) => ({ sent: outputs.send }));

const order = workflow<{ thing: string; customer: string }>("order")
  .step("parcel", { input: { what: "${ input.thing }", to: "${ input.customer }" }, timeout: "1m" }, child(parcel))
  .output(({ outputs }) => outputs.parcel.sent);

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(order, { thing: "a kettle", customer: "Ada" });
console.log(await execution.result());
for (const { name, status } of (await execution.status()).steps) console.log(name, status);

// A failure of a called workflow is the cause of the caller's failure.
const lost = await engine.start(order, { thing: "tea", customer: "nowhere" });
await lost.result().catch(({ failure }: ExecutionError) => console.log(failure));
