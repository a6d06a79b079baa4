// Sub-workflows: which definition a call uses, and which process has to know it.

import { durationMs, stepId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();

function callee(version: string, agent: string): Definition {
  return {
    name: "callee",
    version,
    steps: [{ id: stepId("say"), action: { kind: "agent", agent } }],
    output: "${ steps.say.output }",
  };
}

/** Waits for a signal before the call, so that the test can act before anything was called. */
function caller(reference: string): Definition {
  return {
    name: "caller",
    steps: [
      { id: stepId("first"), action: { kind: "wait", on: "signal", signal: "go", timeout: durationMs(3_600_000) } },
      {
        id: stepId("call"),
        action: { kind: "workflow", workflow: reference },
        dependsOn: [{ step: stepId("first"), on: "succeeded" }],
      },
    ],
    output: "${ steps.call.output }",
  };
}

const agents = { one: () => "one", two: () => "two" };

describe("a workflow that is called", () => {
  it("CONTRACT-8 is the one known at the start, even if there is a newer one at the call", async () => {
    await using engine = await Engine.open({ store: "none", agents, workflows: [callee("1", "one")] });
    const handle = await engine.start(caller("callee"), {});
    engine.register(callee("2", "two"));
    await handle.signal("go", null);
    expect(await handle.result()).toBe("one");
    const later = await engine.start(caller("callee"), {});
    await later.signal("go", null);
    expect(await later.result()).toBe("two");
  });

  it("CONTRACT-8 need not be registered in the process that continues the execution", async () => {
    const file = scratch.file();
    const first = await Engine.open({ file, agents, workflows: [callee("1", "one")] });
    const { id } = await first.start(caller("callee@1"), {});
    await first.close();
    await using second = await Engine.open({ file, agents });
    const handle = await second.get(id);
    await handle.signal("go", null);
    expect(await handle.result()).toBe("one");
  });

  it("CONTRACT-8 LEASE-5 is posted with the start to the owner of the store", async () => {
    const file = scratch.file();
    await using owner = await Engine.open({ file, agents });
    await using poster = await Engine.open({ file, mode: "post", workflows: [callee("1", "one")] });
    const { id } = await poster.start(caller("callee"), {});
    await expect
      .poll(() =>
        owner.get(id).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const handle = await owner.get(id);
    await handle.signal("go", null);
    expect(await handle.result()).toBe("one");
  });
});

describe("a workflow that is called indirectly, or cannot be found", () => {
  it("CONTRACT-8 is found through others, in maps and recursively", async () => {
    const middle: Definition = {
      name: "middle",
      steps: [
        {
          id: stepId("each"),
          action: {
            kind: "map",
            over: "input",
            steps: [{ id: stepId("one"), action: { kind: "workflow", workflow: "callee" } }],
          },
        },
      ],
      output: "${ steps.each.output }",
    };
    const outer: Definition = {
      name: "outer",
      steps: [
        { id: stepId("wait"), action: { kind: "wait", on: "signal", signal: "go" } },
        {
          id: stepId("call"),
          action: { kind: "workflow", workflow: "middle" },
          input: [1, 2],
          dependsOn: [{ step: stepId("wait"), on: "succeeded" }],
        },
      ],
      output: "${ steps.call.output }",
    };
    const file = scratch.file();
    const first = await Engine.open({ file, agents, workflows: [callee("1", "one"), middle] });
    const { id } = await first.start(outer, {});
    await first.close();
    await using second = await Engine.open({ file, agents });
    const handle = await second.get(id);
    await handle.signal("go", null);
    expect(await handle.result()).toEqual(["one", "one"]);
  });

  it("WORKFLOW_UNKNOWN fails with a readable message when a posted start names an unknown definition", async () => {
    const file = scratch.file();
    await using owner = await Engine.open({ file, agents });
    await using poster = await Engine.open({ file, mode: "post" });
    const { id } = await poster.start(caller("callee"), {});
    await expect
      .poll(() =>
        owner.get(id).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const handle = await owner.get(id);
    await handle.signal("go", null);
    await expect(handle.result()).rejects.toMatchObject({ failure: { code: "WORKFLOW_UNKNOWN" } });
  });
});

it("CONTRACT-8 an export includes the workflows that were not called yet", async () => {
  const file = scratch.file();
  const first = await Engine.open({ file, agents, workflows: [callee("1", "one")] });
  const { id } = await first.start(caller("callee"), {});
  const lines: string[] = [];
  for await (const line of first.export(id)) lines.push(line);
  await first.close();
  await using second = await Engine.open({ file: scratch.file(), agents });
  await second.import(lines);
  const handle = await second.get(id);
  await handle.signal("go", null);
  expect(await handle.result()).toBe("one");
});
