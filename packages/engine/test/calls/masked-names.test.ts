// Recorded calls whose names, options or values meet secrets (STATE-14, DATA-9).

import { describe, expect, it } from "vitest";
import { providedSecrets, workflow } from "../../src/index.ts";
import { useFixture } from "../running/fixture.ts";

const fixture = useFixture();
const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

describe("the name of a recorded call", () => {
  it("STATE-14 is what its author wrote, although another execution makes a part of it a secret", async () => {
    const charges: number[] = [];
    const other = workflow("other").step(
      "ask",
      { secrets: ["customer"] },
      ({ secrets }) => secrets["customer"]!.length,
    );
    const engine = await fixture.current.open({ secrets: providedSecrets(() => "acme-prod") });
    const flow = workflow("flow").step("pay", { retry: { attempts: 2, base: "0ms" } }, async ({ run, attempt }) => {
      await run("charge the card for acme-prod", () => charges.push(attempt));
      await (await engine.start(other, null)).result();
      if (attempt === 1) throw new Error("once more");
    });
    await (await engine.start(flow, null)).result();
    expect(charges).toEqual([1]);
  });

  it("STATE-14 DATA-9 keeps calls apart that differ only in a secret, whatever their order", async () => {
    const paid: string[] = [];
    const names = { first: "alice-and-her-account", second: "robert-and-his-account" };
    const flow = workflow("flow")
      .step(
        "pay",
        { secrets: ["first", "second"], retry: { attempts: 2, base: "0ms" } },
        async ({ run, secrets, attempt }) => {
          const people = [secrets["first"]!, secrets["second"]!];
          const results: Record<string, string> = {};
          for (const person of attempt === 1 ? people.slice(0, 1) : people.toReversed())
            results[person.slice(0, 3)] = await run(`pay ${person}`, () => {
              paid.push(person);
              return person.slice(0, 3);
            });
          if (attempt === 1) throw new Error("once more");
          return results;
        },
      )
      .output(({ outputs }) => outputs.pay);
    const engine = await fixture.current.open({
      secrets: providedSecrets((name) => names[name as keyof typeof names]),
    });
    const handle = await engine.start(flow, null);
    expect(await handle.result()).toEqual({ ali: "ali", rob: "rob" });
    expect(paid).toEqual([names.first, names.second]);
    const { steps } = await handle.status();
    expect(steps[0]!.calls!.map(({ name }) => name)).toEqual(["pay ***", "pay ***"]);
  });

  it.each([
    ["a name with the mark of numbers", (secret: string) => [`GET https://api.example.com/v1/files?token=${secret}#2`]],
    ["a name that is too long", (secret: string) => [`${"x".repeat(60)}${secret}${"x".repeat(200)}`]],
    ["a timeout", (secret: string) => ["call", { timeout: `${"x".repeat(60)}${secret}` }]],
    ["a retry", (secret: string) => ["call", { retry: `${"x".repeat(60)}${secret}` }]],
    ["the delay of a retry", (secret: string) => ["call", { retry: { base: `${"x".repeat(60)}${secret}` } }]],
  ])("DATA-9 CALL_INVALID shows no part of a secret: %s", async (_, given) => {
    const flow = workflow("flow").step("work", { secrets: ["key"], retry: 1 }, async ({ run, secrets }) => {
      const [name, options] = given(secrets["key"]!);
      await run(name as string, () => 1, options as never);
    });
    const engine = await fixture.current.open({ secrets: providedSecrets(() => SECRET) });
    const handle = await engine.start(flow, null);
    const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
    const { steps } = await handle.status();
    expect(steps[0]!.detail).toMatchObject({ failure: { code: "CALL_INVALID" } });
    expect(JSON.stringify([steps, (error as Error).message])).not.toContain(SECRET.slice(0, 6));
  });
});
