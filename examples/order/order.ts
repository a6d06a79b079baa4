// An order that needs an approval if it is large, waits for its payment, and undoes everything if a later step fails.
//
//   npx segno run examples/order/order.ts --id A1 --input '{"order":"A1","article":"kettle","amount":60,"price":30,"city":"Oslo"}'
//
// From a second terminal:
//
//   npx segno approve A1 approval --by ann
//   npx segno signal A1 payment --payload '{"amount":1800}'
//
// order.test.ts tests it in virtual time: npx vitest run examples/order

import { approval, PermanentError, waitForSignal, workflow, type BuiltWorkflow } from "segno";
import { z } from "zod";
import { Warehouse } from "./warehouse.ts";

const Order = z.object({
  order: z.string(),
  article: z.string(),
  amount: z.int().min(1),
  price: z.number().min(0),
  city: z.string(),
});

// The sender of a payload that does not fit gets an error, and the order still waits.
const Payment = z.object({ amount: z.number().min(0) });

/** The workflow for a warehouse. A test makes one with a warehouse of its own. */
export function orderWorkflow(warehouse: Warehouse): BuiltWorkflow<z.input<typeof Order>, { parcel: string }> {
  return (
    workflow("order", { input: Order, onFailure: "compensate" })
      .step("reserve", ({ input }) => warehouse.reserve(input.article, input.amount))
      .compensate("reserve", ({ input }) => warehouse.release(input.article, input.amount))
      // Small orders need no approval: the step is skipped, and its dependants run.
      .step(
        "approval",
        { dependsOn: ["reserve"], when: ({ input }) => input.amount * input.price >= 1000 },
        approval({
          by: ["ann", "bob"],
          expires: "1d",
          message: "Sell ${ input.amount } of ${ input.article } to ${ input.city }?",
        }),
      )
      .step("payment", { dependsOn: ["approval"] }, waitForSignal("payment", { schema: Payment, timeout: "3d" }))
      .step("book", { dependsOn: ["payment"] }, ({ input, outputs }) => {
        const due = input.amount * input.price;
        if (outputs.payment.amount < due)
          throw new PermanentError(`${due} are due, ${outputs.payment.amount} were paid`);
        warehouse.book(input.order, outputs.payment.amount);
        return outputs.payment.amount;
      })
      .compensate("book", { retry: 10 }, ({ input }) => warehouse.payBack(input.order))
      .step("ship", { dependsOn: ["book"] }, ({ input }) => warehouse.ship(input.order, input.city))
      .output(({ outputs }) => ({ parcel: outputs.ship }))
  );
}

export const order: BuiltWorkflow<z.input<typeof Order>, { parcel: string }> = orderWorkflow(
  new Warehouse({ kettle: 100 }),
);
