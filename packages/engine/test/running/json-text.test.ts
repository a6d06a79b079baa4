// JSON text that a command prints, as a value.

import { describe, expect, it } from "vitest";
import { ending, findStep, useFixture } from "./fixture.ts";

const fixture = useFixture();

describe("the JSON text of a command", () => {
  it("DATA-6 becomes a value with from_json, for conditions, inputs and maps, and text again with to_json", async () => {
    const handle = await fixture.current.start(
      `
name: parsed
steps:
  - { id: list, run: "echo '{\\"files\\": [\\"a\\", \\"b\\"], \\"count\\": 2}'" }
  - { id: take, agent: take, input: "\${ from_json(previous.stdout) }", dependsOn: [list] }
  - { id: skipped, run: "exit 1", when: "from_json(previous.stdout).count > \`2\`", dependsOn: [list] }
  - id: each
    map: { over: from_json(steps.list.output.stdout).files, steps: [{ id: say, exec: [printf, "<%s>", "\${ item }"] }] }
    dependsOn: [list]
output: { taken: "\${ steps.take.output }", each: "\${ steps.each.output[*].stdout }", text: "\${ to_json(steps.take.output.files) }" }
`,
      { agents: { take: (input) => input } },
    );
    expect(await handle.result()).toEqual({
      taken: { files: ["a", "b"], count: 2 },
      each: ["<a>", "<b>"],
      text: '["a","b"]',
    });
  });

  it("DATA-6 EXPRESSION_VALUE fails the step if the text is not JSON, and the message shows the text", async () => {
    const handle = await fixture.current.start(`
name: broken
steps:
  - { id: list, run: "echo no files" }
  - { id: take, exec: [echo, "\${ from_json(previous.stdout).files }"], dependsOn: [list] }
`);
    expect(await ending(handle)).toBe("failed");
    const { attempts, detail } = await findStep(handle, "take");
    expect(attempts).toBe(0);
    expect(detail).toMatchObject({
      failure: {
        class: "permanent",
        code: "EXPRESSION_VALUE",
        message: expect.stringContaining('from_json() expects JSON text, got "no files"'),
      },
    });
  });
});
