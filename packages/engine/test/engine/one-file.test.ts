// One file, opened by other names, with other codecs, and repeatedly (LEASE-1, LEASE-5, JOURNAL-4).

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Engine, waitForSignal, workflow, type Codec, type EngineOptions } from "../../src/index.ts";
import { eventually } from "../eventually.ts";

const LARGE = "x".repeat(100_000);
const ECHO = workflow<{ readonly n: number }>("echo")
  .step("a", async ({ input }) => input.n)
  .output(({ outputs }) => outputs.a);

let folder = "";
let engines: Engine[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-one-file-"));
  engines = [];
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  rmSync(folder, { recursive: true });
});

async function open(options: EngineOptions = {}): Promise<Engine> {
  const engine = await Engine.open({ file: join(folder, "a.db"), onFault: () => undefined, ...options });
  engines.push(engine);
  return engine;
}

async function all(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count++;
  return count;
}

describe("a file that is opened by another name", () => {
  it("LEASE-1 has one owner, whichever links lead to it", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "linked"));
    const owner = await open({ file: join(folder, "real", "a.db") });
    symlinkSync(join(folder, "real", "a.db"), join(folder, "link.db"));
    const others = [
      await open({ file: join(folder, "link.db") }),
      await open({ file: join(folder, "linked", "a.db") }),
    ];
    expect([owner, ...others].map(({ isOwner }) => isOwner)).toEqual([true, false, false]);
    expect(existsSync(join(folder, "link.db-owner"))).toBe(false);
  });
});

describe("a start that was posted", () => {
  it("LEASE-5 gives its result also when its owner left before it took it", async () => {
    const first = await open({ pollMs: 3_600_000 });
    const second = await open({ workflows: [ECHO] });
    const handles = await Promise.all([1, 2, 3].map((n) => second.start(ECHO, { n })));
    const results = handles.map((handle) => handle.result());
    await first.close();
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
  });

  it("EXECUTION_UNKNOWN is told to who waits for an execution that was removed meanwhile", async () => {
    const owner = await open();
    const { id } = await owner.start(ECHO, { n: 1 });
    await (await owner.get(id)).result();
    const follower = await (await open({ mode: "post" })).get(id);
    await owner.remove(id);
    await expect(follower.result()).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    await expect(all(follower.events())).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });
});

describe("a codec", () => {
  const backwards: Codec = {
    encode: (body) => body.split("").toReversed().join(""),
    decode: (body) => body.split("").toReversed().join(""),
  };

  it("DATA-11 STORE_CODEC is refused where the store was written with another one, and nothing is set aside", async () => {
    const first = await open({ codec: backwards });
    const { id } = await first.start(workflow("waits").step("a", waitForSignal("go")));
    await first.close();
    await expect(open()).rejects.toMatchObject({ code: "STORE_CODEC" });
    await expect(open({ mode: "post" })).rejects.toMatchObject({ code: "STORE_CODEC" });
    const again = await open({ codec: backwards });
    const handle = await again.get(id);
    await handle.signal("go");
    expect(await handle.result()).toBeNull();
  });

  it("DATA-11 JOURNAL-6 that fails for a while delays what is written, and ruins nothing", async () => {
    let isDown = false;
    const moody: Codec = {
      ...backwards,
      encode: (body) => {
        if (isDown) throw new Error("the keys are away");
        return backwards.encode(body);
      },
    };
    const faults: unknown[] = [];
    const engine = await open({ codec: moody, writer: "main", onFault: (fault) => void faults.push(fault) });
    const { promise, resolve } = Promise.withResolvers<void>();
    const handle = await engine.start(workflow("slow").step("a", () => promise));
    isDown = true;
    resolve();
    await eventually(() => expect(faults).not.toEqual([]));
    expect(faults[0]).toMatchObject({ code: "STORE_CODEC", message: "the codec failed: the keys are away" });
    isDown = false;
    expect(await handle.result()).toBeNull();
  });
});

describe("a value that is kept beside the journal", () => {
  it("JOURNAL-4 that was changed is found by `verify`, and given to nobody", async () => {
    const engine = await open();
    const built = workflow("large")
      .step("a", async () => LARGE)
      .output(({ outputs }) => outputs.a);
    const { id } = await engine.start(built, null);
    await (await engine.get(id)).result();
    expect(await engine.verify(id)).toMatchObject({ ok: true });
    const database = new DatabaseSync(join(folder, "a.db"));
    database.exec(`UPDATE execution_values SET body = '"changed"'`);
    database.close();
    expect(await engine.verify(id)).toMatchObject({ ok: false, reason: /does not match its hash/u });
    await expect((await engine.get(id)).result()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(all(engine.export(id))).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });
});

/** Permissions do not bind root; only an immutable file does, if the file system supports it. */
function locked(file: string, isLocked: boolean): boolean {
  if (process.getuid?.() !== 0) chmodSync(file, isLocked ? 0o400 : 0o600);
  else return spawnSync("/bin/sh", ["-c", `chattr "$1" "$2"`, "sh", isLocked ? "+i" : "-i", file]).status === 0;
  return true;
}

describe("a file that cannot be written", () => {
  it("STORE_READ_ONLY is refused at once by who wants to own it, and can be looked at", async (context) => {
    const file = join(folder, "a.db");
    const first = await open();
    const { id } = await first.start(ECHO, { n: 1 });
    await first.close();
    if (!locked(file, true)) context.skip();
    try {
      await expect(open()).rejects.toMatchObject({ code: "STORE_READ_ONLY", message: `${file} cannot be written to` });
      const reader = await open({ mode: "readOnly" });
      expect((await reader.list()).executions.map((each) => each.id)).toEqual([id]);
      await reader.close();
    } finally {
      locked(file, false);
    }
    expect((await open()).isOwner).toBe(true);
  });
});
