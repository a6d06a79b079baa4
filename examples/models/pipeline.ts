// examples/models/pipeline.ts
import { agent, Engine, map, RateLimitError, workflow } from "segno";
import { z } from "zod";

const Summary = z.object({ title: z.string().min(1), points: z.array(z.string()).min(1) });

/** Stands for two models. The first call is refused with 429, and one article is too hard for the small model. */
let calls = 0;
async function askModel(model: "small" | "large", text: string): Promise<unknown> {
  calls += 1;
  if (calls === 1) throw new RateLimitError("429 Too Many Requests", 1000);
  if (model === "small" && text === "whales") return { title: "", points: [] };
  return { title: `About ${text}`, points: [`${model} model`] };
}

const Item = z.object({ item: z.string(), index: z.number() });
const small = agent("small", { input: Item, output: Summary, execute: ({ item }) => askModel("small", item) });
const large = agent("large", { input: Item, output: Summary, execute: ({ item }) => askModel("large", item) });

export const digest = workflow<{ articles: string[] }>("digest", {
  agents: { small: { limits: { concurrency: 5, rate: "5/1s" } } },
})
  .step(
    "summaries",
    map(({ input }) => input.articles, small, {
      label: "${ item }",
      retry: { attempts: 2, base: "100ms", on: ["transient", "schema"] }, // ask again if the answer does not fit
      fallback: large, // and then ask the other model
      timeout: "1m",
    }),
  )
  .output(({ outputs }) => outputs.summaries.map(({ title, points }) => `${title} (${points.join(", ")})`));

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(digest, { articles: ["bees", "whales", "moss"] });
console.log(await execution.result());
console.log(calls, "calls");
