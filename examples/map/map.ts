// examples/map/map.ts
import { Engine, map, workflow } from "segno";

/** Yields orders as a server would, page by page. */
async function* orders(): AsyncGenerator<{ id: string; amount: number }> {
  yield* [
    { id: "A1", amount: 30 },
    { id: "B2", amount: 0 },
  ];
  yield { id: "C3", amount: 12 };
}

const invoices = workflow("invoices")
  // A map over a generator: the source is read once, also if the engine stops in between.
  .step(
    "totals",
    map(
      orders,
      ({ item: { id, amount }, attempt }) => {
        if (amount === 0) throw new Error("nothing to pay");
        return `${id}: ${amount + 4} euros, at attempt ${attempt}`;
      },
      { concurrency: 2, label: "${ item.id }", tolerance: "50%", retry: { attempts: 2, base: "10ms" } },
    ),
  )
  // A map over the output of another step. A tolerated failure is null in it.
  .step(
    "letters",
    { dependsOn: ["totals"] },
    map(
      ({ outputs }) => outputs.totals.filter((total) => total !== null),
      ({ item }) => `Dear customer, ${item}`,
    ),
  )
  // A map over a literal list.
  .step(
    "copies",
    map(["archive", "tax office"], ({ item }) => `copy for the ${item}`),
  )
  .output(({ outputs }) => [...outputs.totals, ...outputs.letters, ...outputs.copies]);

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(invoices);
for (const line of await execution.result()) console.log(line);
