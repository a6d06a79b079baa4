// examples/typescript/order.ts
import { child, map, workflow } from "segno";

interface Order {
  readonly customer: string;
  readonly items: readonly { readonly name: string; readonly price: number }[];
}

const parcel = workflow<{ name: string; to: string }>("parcel")
  .step("label", ({ input }) => `${input.name} for ${input.to}`)
  .output(({ outputs }) => outputs.label);

export const order = workflow<Order>("order")
  .step("total", ({ input }) => input.items.reduce((sum, { price }) => sum + price, 0))
  .step("voucher", { dependsOn: ["total"], when: ({ outputs }) => outputs.total >= 50 }, () => "5 off")
  .step(
    "parcels",
    map(({ input }) => input.items.map(({ name }) => ({ name, to: input.customer })), child(parcel)),
  )
  .output(({ outputs }) => outputs);
