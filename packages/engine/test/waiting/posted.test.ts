// Votes and signals from other processes: posted, and taken once despite crashes (LEASE-5).

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { Engine, type EngineOptions } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { parseCommand } from "../../src/inbox/command.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { CRASH_WORKER } from "../running/crash-worker.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { ANYBODY, contract, RELEASE } from "./questions.ts";
import { VOTER } from "./voter.ts";
import { eventually } from "../eventually.ts";

const scratch = scratchFolder();
const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0).toReversed()) await engine.close();
});

async function openOn(options: EngineOptions): Promise<Engine> {
  const engine = await Engine.open({ pollMs: 5, ...options });
  open.push(engine);
  return engine;
}

async function voter(...words: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [VOTER, ...words]);
  return JSON.parse(stdout) as unknown;
}

/** Whether the first step of an execution waits, according to the journal. */
async function waits(file: string, id: string): Promise<boolean> {
  await using reader = await Engine.open({ file, mode: "readOnly" });
  return (await (await reader.get(id)).status()).steps[0]!.status === "suspended";
}

describe("a vote from another process", () => {
  it("LEASE-5 is posted, and taken by the process that owns the execution", async () => {
    const file = scratch.file();
    const owner = await openOn({ file });
    const handle = await owner.start(RELEASE, { tag: "v1" });
    expect(await voter(file, handle.id, "approve", "ask", "ann", "a1")).toEqual({ kind: "posted" });
    expect(await voter(file, handle.id, "approve", "ask", "ann", "a1")).toEqual({ kind: "posted" });
    expect(await voter(file, handle.id, "approve", "ask", "bob", "b1")).toEqual({ kind: "posted" });
    expect(await handle.result()).toMatchObject({ approved: true, votes: [{ by: "ann" }, { by: "bob" }] });
    expect(await readEvents(handle, "approval.voted")).toHaveLength(2);
  });

  it("LEASE-5 JOURNAL-3 is counted once by whoever owns the execution next, if its owner dies before it takes it", async () => {
    const file = scratch.file();
    writeFileSync(`${file}.yaml`, "name: ask\nsteps: [{ id: ask, approve: { quorum: 2 } }]\n");
    const owner = spawn(process.execPath, [CRASH_WORKER, file, `${file}.yaml`, "asked"], { stdio: "inherit" });
    const exit = once(owner, "exit");
    try {
      await eventually(async () => expect(await waits(file, "asked")).toBe(true));
      // A stopped process neither takes messages nor releases its ownership.
      owner.kill("SIGSTOP");
      await voter(file, "asked", "approve", "ask", "ann", "a1");
      await voter(file, "asked", "approve", "ask", "ann", "a1");
      await voter(file, "asked", "approve", "ask", "bob", "b1");
      expect(await waits(file, "asked")).toBe(true);
    } finally {
      owner.kill("SIGKILL");
      await exit;
    }
    const handle = await (await openOn({ file })).get("asked");
    await handle.result();
    expect((await readEvents(handle, "approval.voted")).map((vote) => vote.id)).toEqual(["a1", "b1"]);
    expect(await handle.approve("ask", { by: "ann", id: "a1" })).toMatchObject({ reason: "duplicate" });
  });

  it("LEASE-5 a signal goes the same way, and is kept until its step waits", async () => {
    const file = scratch.file();
    const first = await openOn({ file });
    const { id } = await first.start(
      contract(
        "name: later\nsteps: [{ id: a, wait: { signal: one } }, { id: b, wait: { signal: two }, dependsOn: [a] }]\noutput: ${ steps.b.output }\n",
      ),
    );
    await first.close();
    await voter(file, id, "signal", "two", '{"n":2}', "s2");
    await voter(file, id, "signal", "one", "1", "s1");
    expect(await (await (await openOn({ file })).get(id)).result()).toEqual({ n: 2 });
  });
});

describe("what was posted by somebody else", () => {
  const vote = { kind: "vote", step: "ask", id: "v1", by: "ann", verdict: "approve" };
  const signal = { kind: "signal", id: "s1", name: "go", payload: 1 };

  it("LEASE-5 is a wish where everything in it has its form", () => {
    expect(parseCommand(JSON.stringify(vote))).toEqual(vote);
    expect(parseCommand(JSON.stringify({ ...vote, comment: "fine" }))).toEqual({ ...vote, comment: "fine" });
    expect(parseCommand(JSON.stringify(signal))).toEqual(signal);
  });

  const deep = `{"kind":"signal","id":"s","name":"go","payload":${"[".repeat(500)}${"]".repeat(500)}}`;
  const hostile: readonly string[] = [
    ...[{ step: 0 }, { step: null }, { id: 7 }, { id: undefined }, { by: "" }, { by: " " }, { by: ["ann"] }].map(
      (change) => JSON.stringify({ ...vote, ...change }),
    ),
    ...[{ verdict: "yes" }, { verdict: null }, { verdict: "toString" }, { comment: 5 }, { comment: null }].map(
      (change) => JSON.stringify({ ...vote, ...change }),
    ),
    ...[{ name: "a b" }, { name: "" }, { id: 1 }, { payload: undefined }].map((change) =>
      JSON.stringify({ ...signal, ...change }),
    ),
    deep,
    JSON.stringify({ kind: "cancel", mode: "abort", reason: "x", graceMs: "soon" }),
    JSON.stringify({ kind: "cancel", mode: "abort", reason: "x", graceMs: -1 }),
    JSON.stringify({ kind: "cancel", mode: "abort", reason: "x", compensate: "yes" }),
  ];

  it.each(hostile)("LEASE-5 %s is no wish", (body) => {
    expect(parseCommand(body)).toBeUndefined();
  });

  it("LEASE-5 is taken away when it is none, and the votes around it count", async () => {
    const store = new MemoryStore();
    const owner = await openOn({ store });
    const handle = await owner.start(ANYBODY);
    const post = (body: unknown) =>
      store.post({ execution: handle.id as never, body: JSON.stringify(body), postedAt: 0 as never });
    for (const each of hostile) await store.post({ execution: handle.id as never, body: each, postedAt: 0 as never });
    await post({ ...vote, by: "a\u0000b" });
    await post({ ...vote, step: "x".repeat(5000) });
    await post({ ...vote, comment: "y".repeat(20_000), id: "good" });
    await eventually(async () => expect((await store.poll()).messages).toEqual([]));
    const votes = await readEvents(handle, "approval.voted");
    expect(votes.map(({ id, by, comment }) => [id, by, comment?.length])).toEqual([["good", "ann", 8192]]);
  });
});
