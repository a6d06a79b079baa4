// examples/invoice/main.ts
import { Engine, type ExecutionError } from "segno";
import { invoice } from "./invoice.ts";

await using engine = await Engine.open({ store: "none" });

const lines = [
  { item: "kettle", cents: 3000 },
  { item: "tea", cents: 450 },
];
const paid = await engine.start(invoice, { customer: "Ada", lines, express: true });
console.log(await paid.result());

// The schema checks the input before anything is stored.
await engine.start(invoice, { customer: "", lines }).catch((error: Error) => console.log(error.message));

const strange = await engine.start(invoice, { customer: "Bo", lines: [{ item: "unicorn", cents: 1 }] });
await strange.result().catch(({ failure }: ExecutionError) => console.log(failure?.message));
