// Modules of tasks that print or throw a secret, which the engine knows from another workflow (DATA-9).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordedLogger } from "@segno/engine/testing";
import { afterAll, expect, it } from "vitest";
import { createEngine, type WorkflowResult } from "../../src/engines.ts";
import { Engine, workflow } from "../../src/index.ts";
import { toTask, toWorkflow } from "./fixture.ts";

const SECRET = "Zx9-kQw7LmP4vRt2";
const folder = mkdtempSync(join(tmpdir(), "segno-thread-secrets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly result: WorkflowResult;
  readonly logged: string;
  /** The stored log of the task. */
  readonly lines: readonly string[];
}

/** Runs the module as a task, on an engine that has learned the secret. */
async function run(text: string): Promise<Ran> {
  const module = join(folder, "module.mjs");
  writeFileSync(module, text);
  const logger = recordedLogger();
  const engine = await Engine.open({ file: join(folder, "store.db"), secrets: () => SECRET, logger });
  const learns = workflow("learns", { secrets: ["token"] }).step("a", { secrets: ["token"] }, () => 1);
  await (await engine.start(learns)).result();
  const tasks = createEngine("parallel", { engine, logger });
  try {
    const result = await tasks.execute(toWorkflow(["a", { module }]));
    const lines: string[] = [];
    for await (const line of engine.logs(result.executionId)) lines.push(line.text);
    return { result, logged: JSON.stringify(logger.lines), lines };
  } finally {
    await tasks.close();
    await engine.close();
  }
}

it("DATA-9 a secret that a module writes in two parts is masked, and a character of several bytes is whole", async () => {
  const [head, tail] = [SECRET.slice(0, 6), SECRET.slice(6)];
  const { lines, logged } = await run(`export default async () => {
    const write = (bytes) => new Promise((done) => process.stdout.write(bytes, done));
    await write("it is ${head}");
    await write("${tail}, ");
    for (const byte of Buffer.from("語")) await write(Buffer.from([byte]));
    await write("\\nno line break at the end");
  }`);
  const shown = lines.join("\n");
  expect(shown).toContain("it is ***, 語");
  expect(shown).toContain("no line break at the end");
  for (const part of [head, tail]) expect(shown + logged).not.toContain(part);
});

it("DATA-9 a secret in a long message of a module is masked before the message is cut", async () => {
  const { result, logged } = await run(`export default () => { throw new Error("m".repeat(8180) + "${SECRET}"); }`);
  const { error } = toTask(result, "a");
  expect(error?.message).toMatch(/^m+\*\*\*/u);
  expect(`${error?.message}${logged}`).not.toContain(SECRET.slice(0, 6));
});
