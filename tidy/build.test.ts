// What is published works where it is installed: outside the workspace, from emitted JavaScript.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildPackages } from "./publishable.ts";
import { ROOT } from "./repository.ts";
import { runNode, runTool } from "./tool.ts";

const home = mkdtempSync(join(tmpdir(), "segno-build-"));
const modules = join(home, "node_modules");
let names: readonly string[] = [];

beforeAll(async () => {
  names = await buildPackages(modules);
  linkDependencies();
  cpSync(join(ROOT, "examples"), join(home, "examples"), { recursive: true });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a registry would bring is taken from the workspace; only our own packages are new. */
function linkDependencies(): void {
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name.startsWith(".") || name === "@segno" || name === "segno") continue;
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
}

describe("the published packages", () => {
  it("have manifests that a package checker has nothing to say against", async () => {
    for (const name of names) {
      const run = await runTool("publint", ["--strict", "--pack", "false", join(modules, name)]);
      expect(`${run.stdout}${run.stderr}`).toContain("All good!");
    }
  });

  it("bring a command that plans a contract", async () => {
    const run = await runNode([join(modules, "segno/bin/segno.js"), "plan", "examples/hello/hello.yaml"], {
      folder: home,
    });
    expect(run.stderr).toBe("");
    expect(run.stdout).toContain("greet");
    expect(run.exitCode).toBe(0);
  });

  it("can be imported as a library", async () => {
    const program =
      "import { loadContract } from 'segno'; console.log(loadContract('name: a\\nsteps: [{ id: b, run: c }]', { file: 'a' }).name)";
    const run = await runNode(["--input-type=module", "--eval", program], { folder: home });
    expect(run).toMatchObject({ stdout: "a\n", stderr: "", exitCode: 0 });
  });
});
