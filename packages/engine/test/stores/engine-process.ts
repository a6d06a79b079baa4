// An engine in a separate process. It executes one task per line, and answers each with a line.

import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname } from "node:path";
import { stepId, type Definition } from "@segno/kernel";
import { Engine } from "../../src/api/engine.ts";
import { answerLines, errorCode } from "./answer-lines.ts";
import { areLocked } from "./locked-files.ts";

const [, , file = "", writer = "main"] = process.argv;

const QUICK: Definition = {
  name: "quick",
  steps: [{ id: stepId("work"), action: { kind: "agent", agent: "work" } }],
};

/** Opens, reads and closes the database, as another program would. */
const LOOK = `
  const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  database.prepare("SELECT count(*) FROM meta").get();
  database.close();`;

/** Copies the folder as a user program might. */
const copy = (to: string): void => cpSync(dirname(file), to, { recursive: true });

const faults: string[] = [];
const engine = await Engine.open({
  file,
  writer: writer === "thread" ? "thread" : "main",
  agents: { work: () => 1 },
  onFault: (error) => void faults.push(errorCode(error)),
});

await answerLines({
  isOwner: () => engine.isOwner,
  /** The answer is the acknowledgement. */
  start: async (id) => (await engine.start(QUICK, null, { id })).id,
  run: async (id) => {
    const handle = await engine.start(QUICK, null, { id });
    return handle.result();
  },
  post: async (id) => (await (await engine.get(id)).pause()).kind,
  copy,
  // These two block the event loop, so the engine neither polls nor commits after the copy until they end.
  copyAndCheckLocks: (to) => (copy(to), areLocked(file)),
  copyAndLook: (to) => {
    copy(to);
    const { status, stderr } = spawnSync(process.execPath, ["-e", LOOK, file]);
    if (status !== 0) throw new Error(stderr.toString());
  },
  /** Another engine of this process on the same file. */
  second: async () => void (await Engine.open({ file, mode: "readOnly" })),
  faults: () => [...new Set(faults)],
  close: () => engine.close(),
});
await engine.close();
