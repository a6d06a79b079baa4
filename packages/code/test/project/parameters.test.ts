import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CodeProject } from "./code-project.ts";

describe("the value of a parameter", () => {
  it("CODE-2 reaches checks and set-up as an environment variable, and a shell does not run it", async () => {
    await using project = new CodeProject();
    project.git("checkout", "--quiet", "-b", "mine");
    const agent = project.agent("agent.sh", "echo work > work.txt");
    const value = "$(echo ran > canary); `echo ran > canary`";
    const note = (name: string): string => `'printf "%s\\n" "$SEGNO_PARAM_feature" >> "${project.root}/${name}"'`;
    const handle = await project.start(
      [
        "name: parameters",
        `parameters: { feature: { type: string, default: ${JSON.stringify(value)} } }`,
        `policies: { step: checks, workflow: checks, checks: [${note("checked")}, 'test ! -e canary'] }`,
        `setup: [${note("prepared")}]`,
        `agent: worker\nagents: { worker: { command: ["${agent}"] } }`,
        "tasks: [{ id: one, instructions: i }]\n",
      ].join("\n"),
    );
    await handle.result();
    for (const name of ["prepared", "checked"])
      expect(readFileSync(join(project.root, name), "utf8").split("\n")[0]).toBe(value);
  });
});
