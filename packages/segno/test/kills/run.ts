// npm run kills -- [--scenario landing] [--first 1] [--step 1] [--last N] [--keep]
//
// Runs `segno code run` and kills it with SIGKILL at every moment (`kill-moments.ts`): before and after each commit of the
// journal and each git process that changes something. Each run is continued, and the claims about it are checked
// (`killed-landing.ts`). Without `--scenario`, all scenarios run. It stops at the first failure unless `--keep` is given, and
// prints the totals when it is interrupted.

import { parseArgs } from "node:util";
import { KilledLanding, type KillReport } from "./killed-landing.ts";
import { SCENARIOS, type ScenarioName } from "./landing-scenario.ts";

const { values } = parseArgs({
  options: {
    scenario: { type: "string", multiple: true, default: Object.keys(SCENARIOS) },
    first: { type: "string", default: "1" },
    step: { type: "string", default: "1" },
    last: { type: "string", default: "100000" },
    keep: { type: "boolean", default: false },
  },
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function kill(scenario: ScenarioName, moment: number): Promise<KillReport> {
  using landing = new KilledLanding(SCENARIOS[scenario]);
  try {
    return await landing.killAt(moment);
  } catch (error) {
    return { moments: [], problems: [(error as Error).message] };
  }
}

/** Returns the number of failures. */
async function campaign(scenario: ScenarioName): Promise<number> {
  const kills = new Map<string, number>();
  let failed = 0;
  const interrupt = (): void => {
    printTotals(scenario, kills, failed);
    process.exit(1);
  };
  process.once("SIGINT", interrupt);
  for (let moment = Number(values.first); moment <= Number(values.last); moment += Number(values.step)) {
    const { moments, problems } = await kill(scenario, moment);
    const last = moments[moment - 1];
    if (problems.length > 0) {
      failed++;
      print(`${scenario} ${moment} (${last ?? "?"}): ${problems.join(" | ")}`);
      if (!values.keep) break;
    } else if (last === undefined) break;
    const kind = last ?? "not known";
    kills.set(kind, (kills.get(kind) ?? 0) + 1);
  }
  process.off("SIGINT", interrupt);
  printTotals(scenario, kills, failed);
  return failed;
}

function printTotals(scenario: ScenarioName, kills: ReadonlyMap<string, number>, failed: number): void {
  const total = [...kills.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...kills.keys()].toSorted().map((kind) => `${kind} ${kills.get(kind)}`);
  print(`${scenario}: ${total} kills, ${failed} failed (${kinds.join(", ")})`);
}

let failures = 0;
for (const name of values.scenario) {
  if (!Object.hasOwn(SCENARIOS, name)) throw new Error(`there is no scenario ${name}`);
  failures += await campaign(name as ScenarioName);
}
process.exitCode = failures === 0 ? 0 : 1;
