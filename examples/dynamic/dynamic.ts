// examples/dynamic/dynamic.ts
import { Engine, expand, workflow } from "segno";

// The number of steps is known only at run time.
const tour = workflow<{ stops: readonly string[] }>("tour")
  .step("travel", ({ input }) =>
    expand(
      input.stops.map((stop, index) => ({
        id: stop,
        agent: "drive",
        input: { to: stop },
        dependsOn: input.stops.slice(Math.max(0, index - 1), index),
      })),
    ),
  )
  .output(({ outputs }) => outputs.travel);

await using engine = await Engine.open({ store: "none" });
engine.agent("drive", (input) => `arrived in ${(input as { to: string }).to}`);
const execution = await engine.start(tour, { stops: ["Lyon", "Turin", "Genoa"] });
console.log(await execution.result());
for (const { name, status } of (await execution.status()).steps) console.log(name, status);
