// examples/invoice/invoice.ts
import { map, PermanentError, workflow } from "segno";
import { z } from "zod";

const Order = z.object({
  customer: z.string().min(1),
  lines: z.array(z.object({ item: z.string(), cents: z.int().positive() })),
  express: z.boolean().default(false),
});

const Price = z.object({ item: z.string(), cents: z.int() });

export const invoice = workflow("invoice", { input: Order, resources: { tariffs: "20/1s" } })
  .step(
    "prices",
    map(
      ({ input }) => input.lines,
      ({ item: line }) => {
        if (line.item === "unicorn") throw new PermanentError("unicorns have no price");
        return { item: line.item, cents: Math.round(line.cents * 1.2) };
      },
      {
        label: "${ item.item }",
        concurrency: 5, // five items at once
        resources: { tariffs: 1 }, // and at most 20 starts in a second
        retry: { attempts: 5, base: "200ms", jitter: "full" },
        timeout: "10s", // for each attempt
        output: { schema: Price },
      },
    ),
  )
  .step("courier", { when: ({ input }) => input.express }, () => "the courier comes at noon")
  .step("total", { dependsOn: ["prices"] }, ({ outputs }) => outputs.prices.reduce((sum, { cents }) => sum + cents, 0))
  .output(({ input, outputs }) => ({
    customer: input.customer,
    total: outputs.total,
    delivery: outputs.courier ?? "by mail",
  }));
