// Texts that are cut or stripped after they were masked: no part of a secret is in them (DATA-9).

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import type { ExecutionHandle } from "@segno/engine";
import { ended, start, until, useCanaryFixture, type CanaryFixture } from "./canary-fixture.ts";
import { SECRETS } from "./canary-secrets.ts";

const fixture = useCanaryFixture();
const SECRET = SECRETS["plain"]!;
const ENV = `env: { T: "\${ secrets.plain }" }`;

/** Everything that is kept of an execution, as text. */
async function everything(canary: CanaryFixture, yaml: string): Promise<string> {
  const engine = await canary.open();
  const handle = await start(engine, yaml);
  await ended(handle);
  const lines: unknown[] = [];
  for await (const line of engine.logs(handle.id)) lines.push(line);
  const said = JSON.stringify([await handle.status(), lines]);
  await engine.backup(canary.path("copy.db"));
  // The stack of an error names the folder, and the name of the folder begins like a secret.
  return (said + readFileSync(canary.path("copy.db"), "latin1")).replaceAll(canary.path(""), "");
}

/** All parts of the secret with six characters, except those that other texts contain. */
function partsIn(text: string): readonly string[] {
  const parts = Array.from({ length: SECRET.length - 5 }, (_, from) => SECRET.slice(from, from + 6));
  return parts.filter((part) => !part.startsWith("canary") && text.includes(part));
}

describe("a coloured secret", () => {
  const COLOURED = `$(printf %s "$T" | cut -c1-12)\\033[1m$(printf %s "$T" | cut -c13-)`;
  const dots = (count: number): string => `head -c ${count} /dev/zero | tr '\\0' .`;

  it.each([
    ["in the message of a command that fails", `printf "x${COLOURED} " >&2; ${dots(480)} >&2; exit 3`],
    ["at the limit of a line", `${dots(16_370)}; printf "${COLOURED} tail\\n"`],
    ["at the start of what is kept of a stream", `printf "${COLOURED}"; ${dots(1_048_570)}`],
    ["in an output", `printf "${COLOURED}"`],
  ])("DATA-9 shows no part of itself %s", async (_, script) => {
    const yaml = `name: f\nsteps: [{ id: a, run: ${JSON.stringify(script)}, env: { T: "\${ secrets.plain }" }, retry: 1 }]\n`;
    expect(partsIn(await everything(fixture.current, yaml))).toEqual([]);
  });
});

describe("a secret at a place where a text of a function is cut", () => {
  it.each([
    ["a step id that is not valid", 'expand([{ id: "a b" + "c".repeat(65) + secrets.plain, run: "true" }])'],
    ["a key that is not known", 'expand([{ id: "a", run: "true", ["k".repeat(70) + secrets.plain]: 1 }])'],
    [
      "an error that ends its thread",
      "new Promise(() => setTimeout(() => { throw new Error(LONG); }, 5))",
      "y".repeat(8180),
    ],
  ])("DATA-9 shows no part of itself in %s", async (_, result, before = "") => {
    const long = `const LONG = ${JSON.stringify(before)} + secrets.plain;`;
    const module = `import { expand } from ${JSON.stringify(import.meta.resolve("segno"))};\n`;
    fixture.current.write("cut.mjs", `${module}export default (_, { secrets }) => { ${long} return ${result}; };\n`);
    const agents = "agents: { there: { module: ./cut.mjs, thread: true }, here: { module: ./cut.mjs } }";
    const ids = before === "" ? ["there", "here"] : ["there"];
    const steps = ids.map((id) => `{ id: ${id}, agent: ${id}, secrets: [plain], retry: 1 }`).join(", ");
    const text = await everything(fixture.current, `name: f\n${agents}\nsteps: [${steps}]\n`);
    expect(text).toContain(before === "" ? "EXPANSION_INVALID" : before.slice(100));
    expect(partsIn(text)).toEqual([]);
  });
});

describe("what people write about an execution", () => {
  it("DATA-9 is masked: the reason of a cancellation and the comment of a vote", async () => {
    const engine = await fixture.current.open();
    const steps = `[{ id: use, run: "true", ${ENV} }, { id: ask, approve: {}, dependsOn: [use] }, { id: wait, wait: { signal: go }, dependsOn: [ask] }]`;
    const handle = await start(engine, `name: f\nsteps: ${steps}\n`);
    await waiting(handle, "ask");
    await handle.approve("ask", { by: "ann", comment: `it is ${SECRET}` });
    await waiting(handle, "wait");
    await handle.cancel({ reason: `${"x".repeat(8180)}${SECRET}` });
    await ended(handle);
    expect(await fixture.current.hits(engine, handle)).toEqual([]);
  });
});

async function waiting(handle: ExecutionHandle, step: string): Promise<void> {
  await until(async () => (await handle.status()).steps.find(({ name }) => name === step)?.status === "waiting");
}
