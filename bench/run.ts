// npm run bench -- <name> [--json]

import { parseArgs } from "node:util";
import type { Figure } from "./figure.ts";

const BENCHMARKS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  graph: async () => (await import("./graph.ts")).benchGraph(),
  decide: async () => (await import("./decide.ts")).benchDecide(),
  memory: async () => (await import("./engine-memory.ts")).benchMemory(),
  fan: async () => (await import("./engine-memory.ts")).benchFan(),
  chain: async () => (await import("./engine.ts")).benchChain(),
  many: async () => (await import("./engine.ts")).benchMany(),
  recover: async () => (await import("./recover.ts")).benchRecover(),
  latency: async () => (await import("./latency.ts")).benchLatency(),
  disk: async () => (await import("./engine.ts")).benchDisk(),
  startup: async () => (await import("./startup.ts")).benchStartup(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false } },
});
const names = positionals.length === 0 ? Object.keys(BENCHMARKS) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}. There are: ${Object.keys(BENCHMARKS).join(", ")}.`);
  process.exit(2);
}

let isGood = true;
for (const name of names) {
  for (const figure of await BENCHMARKS[name]!()) {
    isGood &&= figure.ok;
    if (values.json)
      console.log(
        JSON.stringify({ name: figure.name, ratio: figure.ratio, limit: figure.limit ?? null, ok: figure.ok }),
      );
    else
      console.log(
        `${figure.ok ? "ok  " : "OVER"} ${figure.name}: ${figure.ratio} (${figure.limit === undefined ? "no limit" : `at most ${figure.limit}`})\n       ${figure.note}`,
      );
  }
}
process.exitCode = isGood ? 0 : 1;
