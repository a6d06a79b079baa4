// examples/coming-from/order.ts
import { Engine, waitForSignal, workflow } from "segno";

const order = workflow<{ id: string; cents: number }>("order", { onFailure: "compensate" })
  .step("charge", { retry: 5, timeout: "30s" }, ({ input }) => `${input.cents} cents of ${input.id}`)
  .compensate("charge", ({ output }) => console.log("refund:", output))
  .step("packed", { dependsOn: ["charge"] }, waitForSignal<{ parcel: string }>("packed", { timeout: "7d" }))
  .step("ship", { dependsOn: ["packed"] }, ({ outputs }) => `parcel ${outputs.packed.parcel} is on its way`)
  .output(({ outputs }) => outputs.ship);

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(order, { id: "A1", cents: 3000 }, { id: "order-A1" });
await execution.signal("packed", { parcel: "P7" });
console.log(await execution.result());
