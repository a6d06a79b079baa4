// npm run bench -- <name> [--json]

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import type { Figure } from "./figure.ts";

const BENCHMARKS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  graph: async () => (await import("./graph.ts")).benchGraph(),
  load: async () => (await import("./load.ts")).benchLoad(),
  plan: async () => (await import("./plan.ts")).benchPlan(),
  decide: async () => (await import("./decide.ts")).benchDecide(),
  memory: async () => (await import("./engine-memory.ts")).benchMemory(),
  fan: async () => (await import("./engine-memory.ts")).benchFan(),
  chain: async () => (await import("./engine.ts")).benchChain(),
  "run-calls": async () => (await import("./calls.ts")).benchCalls(),
  repeat: async () => (await import("./repeat.ts")).benchRepeat(),
  many: async () => (await import("./engine.ts")).benchMany(),
  recover: async () => (await import("./recover.ts")).benchRecover(),
  engines: async () => (await import("./engines.ts")).benchEngines(),
  crowd: async () => (await import("./crowd.ts")).benchCrowd(),
  sleepers: async () => (await import("./map.ts")).benchSleepers(),
  map: async () => (await import("./map.ts")).benchMap(),
  schedule: async () => (await import("./schedule.ts")).benchSchedule(),
  spawn: async () => (await import("./spawn.ts")).benchSpawn(),
  latency: async () => (await import("./latency.ts")).benchLatency(),
  timers: async () => (await import("./timers.ts")).benchTimers(),
  disk: async () => (await import("./engine.ts")).benchDisk(),
  code: async () => (await import("./code.ts")).benchCode(),
  "http-start": async () => (await import("./http.ts")).benchHttpStart(),
  "http-read": async () => (await import("./http.ts")).benchHttpRead(),
  sse: async () => (await import("./http.ts")).benchSse(),
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

process.exitCode = (await (names.length === 1 ? measure(names[0]!) : measureApart(names))) ? 0 : 1;

/** Each in a process of its own: what one benchmark teaches the compiler about shared code slows the next one down. */
async function measureApart(all: readonly string[]): Promise<boolean> {
  let isGood = true;
  for (const name of all) {
    const args = [...process.execArgv, import.meta.filename, name, ...(values.json ? ["--json"] : [])];
    isGood = spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0 && isGood;
  }
  return isGood;
}

async function measure(name: string): Promise<boolean> {
  const figures = await BENCHMARKS[name]!();
  for (const figure of figures) console.log(values.json ? toJson(figure) : toText(figure));
  return figures.every(({ ok }) => ok);
}

function toJson({ name, ratio, limit, ok }: Figure): string {
  return JSON.stringify({ name, ratio, limit: limit ?? null, ok });
}

function toText({ name, ratio, limit, ok, note }: Figure): string {
  const bound = limit === undefined ? "no limit" : `at most ${limit}`;
  return `${ok ? "ok  " : "OVER"} ${name}: ${ratio} (${bound})\n       ${note}`;
}
