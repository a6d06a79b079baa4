import { describe, expect, it } from "vitest";
import { expand } from "@segno/engine";
import { openTestEngine } from "@segno/engine/testing";
import { stepId, type Definition } from "@segno/kernel";
import { escapeTemplates } from "../../src/steps/escape-templates.ts";

const definition: Definition = {
  name: "w",
  steps: [{ id: stepId("open"), action: { kind: "agent", agent: "open" } }],
};

describe("texts of agents, logs and people in a step that is created at run time", () => {
  it("DATA-5 CODE-11 are data and not expressions", async () => {
    const hostile = {
      text: "a ${ secrets.token } ${ input } $${",
      list: ["${ input }", { deep: "${" }],
      none: undefined,
    };
    await using test = await openTestEngine({
      agents: {
        open: () => expand([{ id: "x", agent: "echo", input: escapeTemplates(hostile) }], { result: "x" }),
        echo: (input) => input,
      },
    });
    const handle = await test.start(definition);
    await test.advance("1s");
    const { none: _, ...expected } = hostile;
    expect(await handle.output("open")).toEqual(expected);
  });
});
