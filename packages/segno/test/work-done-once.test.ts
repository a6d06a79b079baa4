// `segno run` compiles and hashes each contract once, and checks its input once: the engine takes over what the command did.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Engine } from "@segno/engine";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { readStartRequest, type StartRequest } from "../src/sessions/start-request.ts";
import { createTerminal } from "../src/terminal/terminal.ts";

const counts = vi.hoisted(() => ({ compiled: [] as string[], hashed: [] as string[], checked: [] as unknown[] }));

vi.mock(import("@segno/kernel"), async (original) => {
  const kernel = await original();
  const count =
    <Result>(compile: (definition: Parameters<typeof kernel.compileDefinition>[0]) => Result) =>
    (definition: Parameters<typeof kernel.compileDefinition>[0]): Result => {
      counts.compiled.push(definition.name);
      return compile(definition);
    };
  return {
    ...kernel,
    compileDefinition: count(kernel.compileDefinition),
    compileOrThrow: count(kernel.compileOrThrow),
    validateDefinition: count(kernel.validateDefinition),
  };
});

vi.mock(import("@segno/contract"), async (original) => {
  const contract = await original();
  return {
    ...contract,
    definitionHash: (definition) => {
      counts.hashed.push(definition.name);
      return contract.definitionHash(definition);
    },
    canonicalJson: (value) => {
      if (typeof value === "object" && value !== null && "steps" in value) counts.hashed.push(String(value["name"]));
      return contract.canonicalJson(value);
    },
    createSchemaCheck: () => {
      const check = contract.createSchemaCheck();
      return (schema, value) => {
        counts.checked.push(value);
        return check(schema, value);
      };
    },
  };
});

const CALLER = `
name: caller
input: { type: object, required: [tag] }
agents: { local: { module: ./local.ts } }
steps: [{ id: call, workflow: called }]
`;
const CALLED = "name: called\nsteps: [{ id: pause, wait: { for: 1ms } }]\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-once-"));
  for (const list of Object.values(counts)) list.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

async function started(contract: string, input?: string): Promise<void> {
  writeFileSync(join(folder, "caller.yaml"), contract);
  writeFileSync(join(folder, "called.yaml"), CALLED);
  const options = input === undefined ? {} : { input };
  const request: StartRequest | undefined = await readStartRequest(
    join(folder, "caller.yaml"),
    options,
    createTerminal("never"),
  );
  const { definition, input: checked, called } = request!;
  await using engine = await Engine.open({ store: "none" });
  for (const workflow of [...called, definition]) engine.register(workflow);
  await engine.checkSecrets(definition);
  const handle = await engine.start(definition, checked);
  await handle.result();
}

it("CONTRACT-3 CONTRACT-8 each contract of a run is compiled once and hashed once", async () => {
  await started(CALLER, '{"tag":"v1"}');
  expect(counts.compiled.toSorted()).toEqual(["called", "caller"]);
  expect(counts.hashed.toSorted()).toEqual(["called", "caller"]);
});

it("DATA-3 the input of a run is checked once", async () => {
  await started(CALLER, '{"tag":"v1"}');
  expect(counts.checked).toEqual([{ tag: "v1" }]);
});

it("DATA-3 a missing input is checked once for each value that may stand for it", async () => {
  await started(CALLER.replace(", required: [tag]", ""));
  expect(counts.checked).toEqual([null, {}]);
  counts.checked.length = 0;
  await started(CALLER.replace("type: object, required: [tag]", "type: 'null'"));
  expect(counts.checked).toEqual([null]);
});
