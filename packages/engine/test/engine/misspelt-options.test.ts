// Misspelt or invalid options are refused, with a suggestion.

import { describe, expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract } from "../orchestration/recording-agents.ts";

const ASKS = contract("name: w\nsteps: [{ id: ask, approve: {} }]");

describe("a misspelt option", () => {
  it("CANCEL-2 OPTION_INVALID of what a handle is asked is refused, and nothing happens", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(ASKS);
    await test.untilIdle();
    const refused: readonly (readonly [Promise<unknown>, string])[] = [
      [handle.cancel({ resaon: "x" } as never), "cancel has no option `resaon`; did you mean `reason`?"],
      [handle.cancel({ grace: 5 } as never), "cancel has no option `grace`; did you mean `graceMs`?"],
      [handle.cancel({ mode: "abrot" } as never), 'the options of `cancel`: `mode` is `abort` or `drain`, not "abrot"'],
      [handle.retry({ udno: true } as never), "retry has no option `udno`; did you mean `undo`?"],
      [handle.signal("go", 1, { key: "x" } as never), "signal has no option `key`"],
      [
        handle.approve("ask", { by: "ann", coment: "x" } as never),
        "a vote has no option `coment`; did you mean `comment`?",
      ],
    ];
    for (const [asked, message] of refused)
      await expect(asked).rejects.toMatchObject({ code: "OPTION_INVALID", message });
    expect((await handle.status()).status).toBe("running");
  });

  it("EVENT-2 OPTION_INVALID of a kind of events is refused where somebody subscribes", async () => {
    await using test = await openTestEngine();
    const subscribe = (kind: unknown) => () => test.engine.subscribe({ kinds: [kind as never] }, () => undefined);
    expect(subscribe("step.complete")).toThrow(
      'there are no events of the kind "step.complete"; did you mean "step.completed"?',
    );
    expect(subscribe(7)).toThrow("there are no events of the kind 7");
    expect(subscribe("step.completed")).not.toThrow();
  });
});

describe("an engine for tests", () => {
  it("takes every option of an engine, and refuses those that it does not know or has itself", async () => {
    await using test = await openTestEngine({
      pollMs: 5,
      limits: { slots: 1 },
      workflows: [ASKS],
      agents: { work: async () => 1 },
    });
    expect(test.engine.isOwner).toBe(true);
    await expect(openTestEngine({ polMs: 5 } as never)).rejects.toThrow("did you mean `pollMs`?");
    await expect(openTestEngine({ file: "x" } as never)).rejects.toThrow("a test engine has no option `file`");
  });
});
