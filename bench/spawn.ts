// Commands as steps: what the engine adds to starting a process and waiting for its end.
//
// The bare loop starts the same program with the same pipes, in a group of its own, eight at once, and reads what it writes.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { stepId, type Definition } from "@segno/kernel";
import { Engine } from "@segno/engine";
import { contest } from "./contest.ts";
import { inParallel, run } from "./engine-workflows.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { stallNote } from "./stall.ts";

const COMMANDS = 200;
const AT_ONCE = 8;
const PROGRAM = "true";

function commands(): Definition {
  const steps = Array.from({ length: COMMANDS }, (_, index) => ({
    id: stepId(`c${index}`),
    action: { kind: "exec" as const, argv: [PROGRAM] },
  }));
  return { name: "commands", concurrency: AT_ONCE, steps };
}

function bare(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, [], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

export function benchSpawn(): Promise<readonly Figure[]> {
  const workflow = commands();
  return withFolder(async (folder) => {
    await using engine = await Engine.open({ file: join(folder, "engine.db"), limits: { slots: AT_ONCE } });
    const { oursMs, baselineMs, stallMs } = await contest({
      ours: () => run(engine, workflow),
      baseline: () => inParallel(COMMANDS, AT_ONCE, bare),
      rounds: 25,
    });
    return [
      figure(
        `spawn: ${COMMANDS} commands, ${AT_ONCE} at once, against a bare loop`,
        oursMs / baselineMs,
        1.15,
        `${ms(oursMs)} against ${ms(baselineMs)}, ${stallNote(stallMs)}`,
      ),
    ];
  });
}
