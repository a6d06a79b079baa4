// examples/batch/durable.ts
//
// Kill it at any moment and start it again: completed chunks do not run again.
import { setTimeout as sleep } from "node:timers/promises";
import { executeBatch } from "segno/batch";

const orders = Array.from({ length: 12 }, (_, number) => ({ number, amount: number * 10 }));

const { status, results } = await executeBatch(orders, {
  mode: "chunked",
  size: 3,
  file: process.argv[2] ?? ".segno/batch.db",
  id: "invoices-2026-11",
  process: async (invoices, { chunk }) => {
    console.log("chunk", chunk, "of", invoices.length);
    await sleep(100);
    return invoices.reduce((sum, { amount }) => sum + amount, 0);
  },
});
console.log(status, results);
