// An engine in a process of its own, which does what it is told, a line at a time, and answers each with a line.

import { cpSync } from "node:fs";
import { dirname } from "node:path";
import { stepId, type Definition } from "@segno/kernel";
import { Engine } from "../../src/api/engine.ts";
import { answerLines, errorCode } from "./answer-lines.ts";

const [, , file = "", writer = "main"] = process.argv;

const QUICK: Definition = {
  name: "quick",
  steps: [{ id: stepId("work"), action: { kind: "agent", agent: "work" } }],
};

const faults: string[] = [];
const engine = await Engine.open({
  file,
  writer: writer === "thread" ? "thread" : "main",
  agents: { work: () => 1 },
  onFault: (error) => void faults.push(errorCode(error)),
});

await answerLines({
  isOwner: () => engine.isOwner,
  /** Acknowledged when it is answered. */
  start: async (id) => (await engine.start(QUICK, null, { id })).id,
  run: async (id) => {
    const handle = await engine.start(QUICK, null, { id });
    return handle.result();
  },
  post: async (id) => (await (await engine.get(id)).pause()).kind,
  /** What a program does to keep a copy of its folder. */
  copy: (to) => cpSync(dirname(file), to, { recursive: true }),
  /** Another engine of this process on the same file. */
  second: async () => void (await Engine.open({ file, mode: "readOnly" })),
  faults: () => [...new Set(faults)],
  close: () => engine.close(),
});
await engine.close();
