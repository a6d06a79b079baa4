// How long the command takes beyond what has to be: `segno --version` beyond a bare `node -e 0` of the same Node, and
// `segno run` of one step beyond the step itself. Processes are timed here, so the figure is the difference over what is
// allowed, not a ratio of the two.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleCheckout } from "../tidy/bundle.ts";
import { contest } from "./contest.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";

const COMMAND = join(import.meta.dirname, "../packages/segno/bin/segno.js");

export async function benchStartup(): Promise<readonly Figure[]> {
  // As `npm ci` leaves it.
  await bundleCheckout();
  const version = await beyond(
    () => spawnSync(process.execPath, [COMMAND, "--version"]),
    () => spawnSync(process.execPath, ["-e", "0"]),
    { name: "startup: `segno --version` beyond a bare node", allowedMs: 60 },
  );
  return [version, await withFolder(benchRun)];
}

function benchRun(folder: string): Promise<Figure> {
  writeFileSync(join(folder, "one.yaml"), "name: one\nsteps: [{ id: only, exec: [sleep, '0.1'] }]\n");
  return beyond(
    () => spawnSync(process.execPath, [COMMAND, "run", "one.yaml"], { cwd: folder }),
    () => spawnSync("sleep", ["0.1"]),
    { name: "startup: `segno run` of one step beyond the step itself", allowedMs: 250 },
  );
}

async function beyond(
  ours: () => unknown,
  baseline: () => unknown,
  { name, allowedMs }: { readonly name: string; readonly allowedMs: number },
): Promise<Figure> {
  const { oursMs, baselineMs } = await contest({ ours, baseline, rounds: 21 });
  const note = `${ms(oursMs)} against ${ms(baselineMs)}`;
  return figure(`${name}, over ${allowedMs} ms`, (oursMs - baselineMs) / allowedMs, 1, note);
}
