// Secrets that change, or appear, while the engine runs (DATA-9).

import { expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract } from "./fixture.ts";

/** The first step prints a value that it was not given, as if it had read a file. */
const PRINTS = contract(`
name: prints
secrets: [token]
steps:
  - { id: look, agent: look }
  - { id: pause, wait: { for: 6s }, dependsOn: [look] }
  - { id: again, agent: look, retry: 1, dependsOn: [pause] }
  - { id: third, agent: look, retry: 1, dependsOn: [again] }
output: ["\${ steps.look.output }", "\${ steps.again.output }", "\${ steps.third.output }"]
`);

class Vault {
  value: string | undefined;
  calls = 0;
  isAway = false;

  readonly secrets = (): string | undefined => {
    this.calls++;
    if (this.isAway) throw new Error("the vault is sealed");
    return this.value;
  };
}

it("DATA-9 W2 a value that replaced another is masked in the first step of the next execution", async () => {
  const vault = new Vault();
  await using test = await openTestEngine({ secrets: vault.secrets, agents: { look: () => String(vault.value) } });
  for (const value of [undefined, "the-first-value", "the-second-value"]) {
    vault.value = value;
    const handle = await test.start(PRINTS);
    await test.advance("10s");
    const shown = value === undefined ? "undefined" : "***";
    expect(await handle.result()).toEqual([shown, shown, shown]);
  }
});

it("DATA-9 W4 a value that changes while an execution runs is masked in the steps that begin five seconds later", async () => {
  const vault = new Vault();
  vault.value = "the-first-value";
  await using test = await openTestEngine({ secrets: vault.secrets, agents: { look: () => String(vault.value) } });
  const handle = await test.start(PRINTS);
  await test.advance("1s");
  vault.value = "the-second-value";
  await test.advance("10s");
  expect(await handle.result()).toEqual(["***", "***", "***"]);
  // Once for each of the steps that are more than five seconds apart.
  expect(vault.calls).toBe(2);
});

it("DATA-9 W2 W4 a source that does not answer stops an execution that begins, and not one that has begun", async () => {
  const vault = new Vault();
  vault.value = "the-first-value";
  await using test = await openTestEngine({ secrets: vault.secrets, agents: { look: () => "looked" } });
  const begun = await test.start(PRINTS);
  await test.advance("1s");
  vault.isAway = true;
  await test.advance("10s");
  expect(await begun.result()).toEqual(["looked", "looked", "looked"]);
  // It is not asked again for each step.
  expect(vault.calls).toBe(2);
  const late = await test.start(PRINTS);
  await test.advance("1s");
  expect((await late.status()).steps.find(({ name }) => name === "look")?.status).not.toBe("completed");
  vault.isAway = false;
  await test.advance("5m");
  expect(await late.result()).toEqual(["looked", "looked", "looked"]);
});
