// A nightly job: it converts 1,000 invoices to euros and tolerates that some of them fail.
//
//   npx segno run examples/etl/etl.ts --id nightly --label job=etl --quiet
//
// Five invoices fail, because rates.json has no rate for CHF. The job completes without them:
//
//   npx segno list --label job=etl          counts the tolerated failures
//   npx segno show nightly --failed         shows the failed items with their errors
//
// Add `"CHF": 1.04` to rates.json, and run the failed items again, and only these. The report, which depends on them, is made again:
//
//   npx segno retry nightly --tolerated --quiet

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { map, PermanentError, workflow } from "segno";

interface Invoice {
  readonly id: string;
  readonly currency: string;
  readonly amount: number;
}

/** Stands for a database that is read page by page. */
async function* readInvoices(count: number): AsyncGenerator<Invoice> {
  const currencies = ["EUR", "USD", "NOK"];
  for (let number = 0; number < count; number++)
    yield {
      id: `I${number}`,
      currency: number % 200 === 42 ? "CHF" : currencies[number % currencies.length]!,
      amount: 100,
    };
}

async function rateOf(currency: string): Promise<number> {
  const text = await readFile(join(import.meta.dirname, "rates.json"), "utf8");
  const rate = (JSON.parse(text) as Record<string, number>)[currency];
  // Another attempt would not help, so the item fails at once.
  if (rate === undefined) throw new PermanentError(`there is no rate for ${currency}`);
  return rate;
}

const input = {
  type: "object",
  properties: { count: { type: "integer", minimum: 1, maximum: 10_000, default: 1000 } },
} as const;

export const etl = workflow<{ count: number }>("etl", { input })
  .step(
    "convert",
    map(
      // The source is read once, also if the job is interrupted and continued.
      ({ input: { count } }) => readInvoices(count),
      async ({ item }) => ({ id: item.id, euros: item.amount * (await rateOf(item.currency)) }),
      { label: "${ item.id }", concurrency: 50, tolerance: "1%" },
    ),
  )
  // A tolerated failure is null in the output of the map.
  .step("report", { dependsOn: ["convert"] }, ({ outputs }) => {
    const converted = outputs.convert.filter((invoice) => invoice !== null);
    const euros = converted.reduce((sum, invoice) => sum + invoice.euros, 0);
    return {
      converted: converted.length,
      missing: outputs.convert.length - converted.length,
      euros: Math.round(euros),
    };
  })
  .output(({ outputs }) => outputs.report);
