// examples/map/map.ts
import { Engine, map, workflow } from "segno";

/** As it would come from a server, page by page. */
async function* orders(): AsyncGenerator<{ id: string; amount: number }> {
  yield* [
    { id: "A1", amount: 30 },
    { id: "B2", amount: 0 },
  ];
  yield { id: "C3", amount: 12 };
}

const invoices = workflow("invoices")
  // Over what is yielded: the source is read once, also when the engine stops in between.
  .step(
    "totals",
    map(
      orders,
      ({ id, amount }, { attempt }) => {
        if (amount === 0) throw new Error("nothing to pay");
        return `${id}: ${amount + 4} euros, at attempt ${attempt}`;
      },
      { concurrency: 2, label: "${ item.id }", tolerance: "50%", retry: { attempts: 2, base: "10ms" } },
    ),
  )
  // Over what another step gave. A failure that was tolerated has left null.
  .step(
    "letters",
    { dependsOn: ["totals"] },
    map(
      ({ totals }) => totals.filter((total) => total !== null),
      (total: string) => `Dear customer, ${total}`,
    ),
  )
  // Over a list that stands right here.
  .step(
    "copies",
    map(["archive", "tax office"], (to: string) => `copy for the ${to}`),
  )
  .output((steps) => [...steps.totals, ...steps.letters, ...steps.copies]);

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(invoices);
for (const line of await execution.result()) console.log(line);
