// Pausing where the process that works would end as soon as there is nothing to do.

import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";

/** The step runs until somebody makes the file, and tells when it is cut off. */
const SLOW = `
name: slow
steps:
  - id: slow
    run: |
      trap 'echo cut off >> "$TRACE"; exit 1' TERM
      echo begun | tee -a "$TRACE"
      until [ -e "$GO" ]; do sleep 0.05; done
      echo ended >> "$TRACE"
    env: { TRACE: "\${ input.trace }", GO: "\${ input.go }" }
  - { id: after, wait: { for: 10ms }, dependsOn: [slow] }
`;

interface Shown {
  readonly status: string;
  readonly steps: readonly { readonly status: string; readonly attempts: number }[];
}

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("slow.yaml"), SLOW);
});
afterAll(() => shop[Symbol.asyncDispose]());

function makeInput(id: string): string {
  return JSON.stringify({ trace: shop.path(`${id}.trace`), go: shop.path(`${id}.go`) });
}

it("CANCEL-7 a worker that ends when it is idle lets the running step of a paused execution end", async () => {
  const db = ["--db", "idle.db"];
  const owner = shop.start(["run", "slow.yaml", "--id", "held", "--input", makeInput("held"), ...db]);
  await owner.reports(/begun/u);
  owner.send("SIGHUP");
  await owner.ended;
  await writeFile(shop.path("held.trace"), "");
  const worker = shop.start(["work", "--until-idle", ...db]);
  await worker.reports(/begun/u);
  expect(await shop.run(["pause", "held", ...db])).toMatchObject({ exitCode: 0, stdout: "held is paused\n" });
  await worker.reports(/waiting for running steps to finish/u);
  await writeFile(shop.path("held.go"), "");
  expect(await worker.ended).toMatchObject({ exitCode: 0 });
  expect(await readFile(shop.path("held.trace"), "utf8")).toBe("begun\nended\n");
  expect(await shop.json<Shown>("show", "held", ...db)).toMatchObject({
    status: "paused",
    steps: [{ status: "succeeded" }, { attempts: 0 }],
  });
});

it("CANCEL-7 a run that ends lets the running step of a paused execution of another end", async () => {
  const db = ["--db", "guest.db"];
  const owner = shop.start(["run", "endless.yaml", "--id", "owner", ...db]);
  await owner.reports(/gate waits/u);
  const guest = shop.start(["run", "slow.yaml", "--id", "guest", "--input", makeInput("guest"), ...db]);
  await guest.reports(/begun/u);
  expect(await shop.run(["pause", "guest", ...db])).toMatchObject({ exitCode: 0 });
  await shop.run(["cancel", "owner", ...db]);
  await owner.reports(/1 other execution may still run steps here/u);
  await writeFile(shop.path("guest.go"), "");
  expect(await owner.ended).toMatchObject({ exitCode: 1 });
  expect(await readFile(shop.path("guest.trace"), "utf8")).toBe("begun\nended\n");
  guest.send("SIGHUP");
  await guest.ended;
});
