import { mkdtempSync, writeFileSync, rmSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadContractFile } from "./load-contract-file.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function loadModules(module: string, cwd: string): Promise<readonly (string | undefined)[]> {
  mkdirSync(join(folder, "flows"), { recursive: true });
  writeFileSync(
    join(folder, "flows", "a.yaml"),
    `name: a\nagents: { x: { module: ${module} } }\nsteps: [{ id: s, agent: x }]\n`,
  );
  const { agents = {} } = await loadContractFile(join(folder, "flows", "a.yaml"), cwd);
  return Object.values(agents).map(({ module: found }) => found);
}

describe("loading a contract's file", () => {
  it("CONTRACT-1 a module is found beside the contract, wherever things run", async () => {
    expect(await loadModules("./x.ts", folder)).toEqual(["./flows/x.ts"]);
    expect(await loadModules("../lib/x.ts", folder)).toEqual(["./lib/x.ts"]);
    expect(await loadModules("./x.ts", join(folder, "elsewhere"))).toEqual(["../flows/x.ts"]);
  });

  it("CONTRACT-1 the name of a package stays as it is", async () => {
    expect(await loadModules("some-package/agent.js", folder)).toEqual(["some-package/agent.js"]);
  });

  it("CONTRACT-1 a contract of ONEX becomes a definition, with its modules beside it too", async () => {
    const root = join(import.meta.dirname, "../../../..");
    const { name, agents } = await loadContractFile(join(root, "examples/onex/etl.yaml"), root);
    expect([name, agents?.["NodeEffect"]?.module]).toEqual(["etl_pipeline", "./examples/onex/nodes.ts"]);
  });
});
