// How long `segno --version` takes beyond a bare `node -e 0` of the same Node. Processes are timed here, so the figure is
// the difference over what is allowed, not a ratio of the two.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { contest } from "./contest.ts";
import { figure, ms, type Figure } from "./figure.ts";

const ALLOWED_MS = 60;
const COMMAND = join(import.meta.dirname, "../packages/segno/bin/segno.js");

export async function benchStartup(): Promise<readonly Figure[]> {
  const { oursMs, baselineMs } = await contest({
    ours: () => spawnSync(process.execPath, [COMMAND, "--version"]),
    baseline: () => spawnSync(process.execPath, ["-e", "0"]),
    rounds: 21,
  });
  const note = `${ms(oursMs)} against ${ms(baselineMs)}`;
  return [
    figure(
      `startup: \`segno --version\` beyond a bare node, over ${ALLOWED_MS} ms`,
      (oursMs - baselineMs) / ALLOWED_MS,
      1,
      note,
    ),
  ];
}
