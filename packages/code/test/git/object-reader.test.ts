import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Git } from "../../src/git/git.ts";
import { BATCH_COMMAND, ObjectReader, type ObjectReaderLimits } from "../../src/git/object-reader.ts";
import type { Oid } from "../../src/git/oid.ts";
import { SampleRepository } from "./sample-repository.ts";

/** The tests say when a process may end. */
const LONG_MS = 600_000;

interface Opened {
  readonly reader: ObjectReader;
  readonly git: Git;
  /** The processes in the order of their start. */
  readonly processes: ChildProcessWithoutNullStreams[];
}

async function openReader(sample: SampleRepository, limits: Partial<ObjectReaderLimits> = {}): Promise<Opened> {
  const git = await Git.open();
  const processes: ChildProcessWithoutNullStreams[] = [];
  const reader = new ObjectReader(
    () => {
      const child = git.start([`--git-dir=${join(sample.folder, ".git")}`, ...BATCH_COMMAND], {});
      processes.push(child);
      return child;
    },
    { idleMs: LONG_MS, ...limits },
  );
  return { reader, git, processes };
}

function blob(sample: SampleRepository, text: string): Oid {
  const file = join(sample.root, "blob");
  writeFileSync(file, text);
  return sample.git("hash-object", "-w", file) as Oid;
}

/** Overwrites a loose object with other bytes. */
function corrupt(sample: SampleRepository, oid: Oid): void {
  const file = join(sample.folder, ".git/objects", oid.slice(0, 2), oid.slice(2));
  chmodSync(file, 0o644);
  writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 4), Buffer.from("garbage")]));
}

const texts = (contents: readonly Buffer[]): readonly string[] => contents.map((each) => each.toString("utf8"));

describe("a reader of objects", () => {
  it("CODE-4 reads many objects in their order, with one process", async () => {
    await using sample = new SampleRepository();
    const { reader, git, processes } = await openReader(sample);
    const expected = ["", "\n", "one", "two\n\nmissing\n", "x".repeat(300_000)];
    const oids = expected.map((text) => blob(sample, text));
    const before = git.processCount;
    expect(texts(await reader.contents([...oids, ...oids]))).toEqual([...expected, ...expected]);
    expect(await reader.info("main^{commit}")).toMatchObject({ oid: sample.git("rev-parse", "main"), type: "commit" });
    expect(await reader.info(oids[2]!)).toEqual({ oid: oids[2], type: "blob", bytes: 3 });
    expect(git.processCount - before).toBe(1);
    await reader.close();
    expect(processes.map(({ exitCode }) => exitCode)).toEqual([0]);
  });

  it("CODE-4 answers requests that are made at the same time, each with its own object", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample);
    const oids = Array.from({ length: 40 }, (_, n) => blob(sample, `text ${n}`));
    const read = oids.map(async (oid) => texts(await reader.contents([oid]))[0]);
    expect(await Promise.all(read)).toEqual(oids.map((_, n) => `text ${n}`));
    expect(processes).toHaveLength(1);
    await reader.close();
  });

  it("CODE-4 sees objects that were written and packed after its process started", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample);
    await reader.info("HEAD");
    const commit = sample.commit({ "b.txt": "new\n" });
    const [oid] = [sample.git("rev-parse", "HEAD:b.txt") as Oid];
    sample.git("gc", "--quiet", "--prune=now");
    expect(texts(await reader.contents([oid]))).toEqual(["new\n"]);
    sample.commit({ "c.txt": "newer\n" });
    sample.git("repack", "-a", "-d", "-f", "--quiet");
    sample.git("prune-packed");
    expect(texts(await reader.contents([oid]))).toEqual(["new\n"]);
    expect(await reader.info(`${commit}^{tree}`)).toMatchObject({ type: "tree" });
    expect(texts(await reader.contents([sample.git("rev-parse", "HEAD:c.txt") as Oid]))).toEqual(["newer\n"]);
    expect(processes).toHaveLength(1);
    await reader.close();
  });

  it("CODE-4 reports a missing object", async () => {
    await using sample = new SampleRepository();
    const { reader } = await openReader(sample);
    const missing = "12".repeat(20) as Oid;
    expect(await reader.info(missing)).toBeUndefined();
    expect(await reader.info("refs/heads/none^{commit}")).toBeUndefined();
    await expect(reader.contents([blob(sample, "x"), missing])).rejects.toMatchObject({
      code: "GIT_FAILED",
      message: `git cannot read the object ${missing}`,
    });
    await reader.close();
  });

  it.each(["", "main\ninfo main", "main info", "main\r", "main\0", "main\t", "x".repeat(8193)])(
    "CODE-11 refuses the name %j before it starts a process",
    async (name) => {
      await using sample = new SampleRepository();
      const { reader, processes } = await openReader(sample);
      await expect(reader.info(name)).rejects.toMatchObject({ code: "GIT_FAILED" });
      expect(processes).toHaveLength(0);
    },
  );
});

describe("the limits of a reader of objects", () => {
  it("CODE-4 refuse contents that are too large together, and the next call is answered", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample, { bytesMax: 1000 });
    const [half, large] = [blob(sample, "h".repeat(500)), blob(sample, "l".repeat(5_000_000))];
    const other = blob(sample, "o".repeat(501));
    const tooLarge = { code: "GIT_FAILED", message: "`git cat-file` wrote more than 1000 bytes" };
    const attempts = [reader.contents([half, large, half]), reader.contents([half, other])];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject(tooLarge);
    expect(texts(await reader.contents([half, half]))).toEqual(["h".repeat(500), "h".repeat(500)]);
    expect(processes).toHaveLength(1);
    await reader.close();
  });

  it("CODE-10 fail a request whose answer takes too long, and the others are answered", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample, { answerMs: 2000 });
    await reader.info("main");
    processes[0]!.kill("SIGSTOP");
    const late = reader.info("main");
    const next = reader.info("main");
    await expect(late).rejects.toMatchObject({ code: "GIT_FAILED", message: /took longer than 2 s/u });
    expect(await next).toMatchObject({ type: "commit" });
    expect(processes).toHaveLength(2);
    await reader.close();
  });

  it("CODE-10 end a process without requests, and the next request starts another", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample, { idleMs: 1 });
    await reader.info("main");
    expect(await once(processes[0]!, "close")).toEqual([0, null]);
    expect(await reader.info("main")).toMatchObject({ type: "commit" });
    expect(processes).toHaveLength(2);
    await reader.close();
  });

  it("CODE-10 let a caller give up; the answers of others stay in their order", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample);
    const [one, two] = [blob(sample, "one"), blob(sample, "two")];
    const controller = new AbortController();
    const aborted = reader.contents([one], { signal: controller.signal });
    const kept = reader.contents([two]);
    controller.abort(new Error("not needed"));
    await expect(aborted).rejects.toThrow("not needed");
    await expect(reader.info("main", { signal: controller.signal })).rejects.toThrow("not needed");
    expect(texts(await kept)).toEqual(["two"]);
    expect(processes).toHaveLength(1);
    await reader.close();
  });
});

describe("a reader of objects whose process ends early", () => {
  it("CODE-10 sends the open requests to another process", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample);
    await reader.info("main");
    processes[0]!.kill("SIGSTOP");
    const oids = ["one", "two", "three"].map((text) => blob(sample, text));
    const contents = reader.contents(oids);
    processes[0]!.kill("SIGKILL");
    expect(texts(await contents)).toEqual(["one", "two", "three"]);
    expect(processes).toHaveLength(2);
    await reader.close();
  });

  it("CODE-10 fails the request with which two processes ended, and no other", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample);
    const [good, bad] = [blob(sample, "good"), blob(sample, "bad")];
    corrupt(sample, bad);
    const read = [reader.contents([good]), reader.contents([bad]), reader.contents([good]), reader.contents([good])];
    const results = await Promise.allSettled(read);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { code: "GIT_FAILED" } });
    expect(processes.length).toBeLessThanOrEqual(3);
    await reader.close();
  });

  it("CODE-10 answers what is open when it is closed", async () => {
    await using sample = new SampleRepository();
    const { reader, processes } = await openReader(sample);
    const open = reader.info("main");
    await reader.close();
    expect(await open).toMatchObject({ type: "commit" });
    expect(processes.map(({ exitCode }) => exitCode)).toEqual([0]);
  });

  it("CODE-2 says that git is missing if it cannot be started", async () => {
    await using sample = new SampleRepository();
    const git = await Git.open();
    const reader = new ObjectReader(() => git.start(BATCH_COMMAND, { cwd: join(sample.root, "none") }));
    const requests = [reader.info("main"), reader.info("main")];
    for (const request of requests) await expect(request).rejects.toMatchObject({ code: "GIT_MISSING" });
    await reader.close();
  });
});
