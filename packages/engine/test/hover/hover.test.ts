// What an editor shows for the types of a workflow: plain objects, and no names of the builder's internals.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LanguageServer } from "./language-server.ts";

const HOVERED = fileURLToPath(new URL("hovered.ts", import.meta.url));

let server: LanguageServer;
let hover: (mark: string) => Promise<string>;
beforeAll(async () => {
  server = await LanguageServer.start();
  hover = server.open(HOVERED);
});
afterAll(() => server[Symbol.asyncDispose]());

/** The type on one line. */
async function shown(mark: string): Promise<string> {
  return (await hover(mark)).replaceAll(/\s+/gu, " ");
}

const COMMAND =
  "{ readonly exitCode: number; readonly stdout: string; readonly stderr: string; readonly truncated?: boolean; }";

it.each([
  [
    "outputs of one dependency",
    "buildOnly }",
    "(parameter) buildOnly: { readonly build: { path: string; at: string; }; }",
  ],
  [
    "outputs of several dependencies, with null for a condition",
    "seen =",
    `const seen: { readonly build: { path: string; at: string; }; readonly lint: ${COMMAND} | null; ` +
      "readonly sizes: readonly { size: number; }[]; }",
  ],
  [
    "outputs of all steps",
    "everything,",
    `(parameter) everything: { readonly build: { path: string; at: string; }; readonly files: string[]; readonly lint: ${COMMAND} | null; ` +
      "readonly pick: string; readonly sizes: readonly { size: number; }[]; }",
  ],
  ["the input", "given })", "(parameter) given: { readonly tag: string; }"],
  [
    "a built workflow",
    "built =",
    "const built: BuiltWorkflow<Release, { build: { path: string; at: string; }; tag: string; }>",
  ],
  ["its output", "Output =", "type Output = { build: { path: string; at: string; }; tag: string; }"],
])("CONTRACT-1 an editor shows %s as a plain type", async (_, mark, expected) => {
  // Comments of the sources follow the type.
  expect((await shown(mark)).slice(0, expected.length)).toBe(expected);
});

it("CONTRACT-1 an editor shows the steps of a builder as objects", async () => {
  const builder = await shown("release =");
  expect(builder).toContain("{ readonly build: { path: string; at: string; }; } & { readonly files: string[]; } & ");
  expect(builder).not.toMatch(/Step<|OwnOutput|Record<never/u);
});
