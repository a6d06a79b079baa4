// Secrets of a running step stay masked, however many secrets other steps request meanwhile (DATA-9).

import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { contract, useFixture } from "./fixture.ts";

const fixture = useFixture();
const COUNT = 40;

/** A text of the length and the lines of a key of 4096 bits; its variants have more than 100,000 characters. */
function secret(name: string): string {
  const lines = Array.from({ length: 50 }, (_, line) => hash("sha512", `${name} ${line}`, "base64").slice(0, 64));
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}

it("DATA-9 a secret that a running step holds is masked after other steps requested more than the masker remembers", async () => {
  const { promise: allAsked, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const engine = await fixture.current.open({
    secrets: (name) => secret(name),
    agents: {
      ask: () => void (++asked === COUNT && resolve()),
      late: async (_, { secrets }) => {
        await allAsked;
        return Object.values(secrets);
      },
    },
  });
  const held = await engine.start(
    contract("name: held\nsteps: [{ id: a, agent: late, secrets: [mine] }]\noutput: ${ steps.a.output }\n"),
  );
  for (let each = 0; each < COUNT; each++) {
    const other = await engine.start(
      contract(`name: other-${each}\nsteps: [{ id: a, agent: ask, secrets: [s${each}] }]\n`),
    );
    await other.result();
  }
  expect(await held.result()).toEqual(["***"]);
});
