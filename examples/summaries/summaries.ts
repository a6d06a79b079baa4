// Summarises 20 articles with a language model, at most five calls a second. Run it from the root of the repository:
//
//   node examples/summaries/summaries.ts
//
// Afterwards `npx segno show @last` lists the calls, and `npx segno show @last summaries/12/item` shows the attempts of one.

import { Engine, map, RateLimitError, workflow } from "segno";
import { z } from "zod";
import { openModelServer } from "./model-server.ts";

// What the model has to answer. Dependants see this type.
const Summary = z.object({ text: z.string().min(1), keywords: z.array(z.string()).min(1) });

await using server = await openModelServer();

async function ask(model: "large" | "small", article: number, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(server.url, { method: "POST", body: JSON.stringify({ model, article }), signal });
  // The attempt does not count: the step waits as long as the server says, and then asks again.
  if (response.status === 429)
    throw new RateLimitError("the model is busy", Number(response.headers.get("retry-after") ?? "1") * 1000);
  // An ordinary error is transient, so that `retry` applies.
  if (!response.ok) throw new Error(`the model answered with ${response.status}`);
  return response.json();
}

const summaries = workflow<{ articles: readonly number[] }>("summaries")
  .step(
    "summaries",
    map(
      ({ input }) => input.articles,
      ({ item, signal }) => ask("large", item, signal),
      {
        label: "article ${ item }",
        limits: { rate: { rate: 5, per: "1s" } },
        timeout: "30s",
        output: { schema: Summary },
        // A model that has answered badly may answer well when it is asked again; by default a misfit is final.
        retry: { attempts: 3, base: "100ms", on: ["transient", "timeout", "schema"] },
        // After three attempts, another model is asked.
        fallback: async ({ item, signal }) => ({
          ...Summary.parse(await ask("small", item, signal)),
          model: "small" as const,
        }),
      },
    ),
  )
  .step("index", { dependsOn: ["summaries"] }, ({ outputs }) => {
    const byKeyword: Record<string, number> = {};
    for (const keyword of outputs.summaries.flatMap(({ keywords }) => keywords))
      byKeyword[keyword] = (byKeyword[keyword] ?? 0) + 1;
    return byKeyword;
  })
  .output(({ outputs }) => ({
    summaries: outputs.summaries.length,
    bySmallModel: outputs.summaries.filter((summary) => "model" in summary).map(({ text }) => text),
    keywords: outputs.index,
  }));

await using engine = await Engine.open();
const execution = await engine.start(summaries, { articles: Array.from({ length: 20 }, (_, index) => index) });
console.log(await execution.result());
console.log(server.answers);
