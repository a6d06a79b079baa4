// Values encoded by a codec, and values removed from the file (DATA-11).

import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Codec, Engine, StepContext } from "../../src/index.ts";
import { contract, pollUntil, useFixture } from "./fixture.ts";

const fixture = useFixture();
const KEY = createHash("sha256").update("a key for tests").digest();

/** A deterministic cipher, so that content addressed by its hash is stored once. */
const ENCRYPTED: Codec = {
  encode(body) {
    const iv = createHash("sha256").update(body).digest().subarray(0, 12);
    const cipher = createCipheriv("aes-256-gcm", KEY, iv);
    return Buffer.concat([iv, cipher.update(body, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
  },
  decode(body) {
    const bytes = Buffer.from(body, "base64");
    const cipher = createDecipheriv("aes-256-gcm", KEY, bytes.subarray(0, 12));
    cipher.setAuthTag(bytes.subarray(-16));
    return cipher.update(bytes.subarray(12, -16), undefined, "utf8") + cipher.final("utf8");
  },
};

/** A fresh reader: no execution is in memory. */
async function reopen(): Promise<Engine> {
  await fixture.current.closeEngines();
  return fixture.current.open({ agents: AGENTS });
}

/**
 * Each word occurs in the execution: as input, rendered, returned, as a large value, as output, in a signal, in a
 * failure.
 */
const WORDS = [
  "givenword",
  "outputword",
  "largeword",
  "stdoutword",
  "stderrword",
  "signalword",
  "loggedword",
  "failureword",
];
const INPUT = { word: "givenword", out: "stdoutword", err: "stderrword", why: "failureword" };

const YAML = `
name: private
steps:
  - { id: says, run: 'echo "$OUT"; echo "$ERR" >&2', env: { OUT: "\${ input.out }", ERR: "\${ input.err }" } }
  - { id: returns, agent: returns, input: "\${ input }" }
  - { id: large, agent: large }
  - { id: fails, run: 'echo "$WHY" >&2; exit 1', env: { WHY: "\${ input.why }" }, onError: continue }
  - { id: hears, wait: { signal: go } }
output: { said: "\${ steps.says.output.stdout }", large: "\${ steps.large.output }" }
`;
const AGENTS = {
  returns: () => "outputword",
  large: (_: unknown, { log }: StepContext) => {
    log.info("loggedword");
    return "largeword ".repeat(10_000);
  },
};

/** The raw files and every row: a large value may span several pages anywhere in a file. */
function readFiles(): string {
  const files = ["", "-wal", "-shm"].map((end) => `${fixture.current.file}${end}`).filter((file) => existsSync(file));
  return [...files.map((file) => readFileSync(file, "latin1")), ...readRows(fixture.current.file)].join("\n");
}

function readRows(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all());
  database.close();
  return rows
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)));
}

async function runAll(codec?: Codec): Promise<{ readonly id: string; readonly said: readonly string[] }> {
  const engine = await fixture.current.open({ agents: AGENTS, ...(codec === undefined ? {} : { codec }) });
  const handle = await engine.start(contract(YAML), INPUT);
  await handle.signal("go", "signalword");
  await handle.result();
  const said: string[] = [];
  for await (const { text } of engine.logs(handle.id)) said.push(text);
  return { id: handle.id, said };
}

const wordsIn = (text: string): readonly string[] => WORDS.filter((word) => text.includes(word));

describe("a codec", () => {
  it("DATA-11 leaves nothing readable in the file, while it is open and after it is closed", async () => {
    const { id, said } = await runAll(ENCRYPTED);
    expect(said.join("\n")).toContain("stdoutword");
    expect(wordsIn(readFiles())).toEqual([]);
    await (await fixture.current.open({ mode: "readOnly", codec: ENCRYPTED })).verify(id);
    expect(wordsIn(readFiles())).toEqual([]);
  });

  it("DATA-11 is off by default: without one the words are in the file", async () => {
    await runAll();
    expect(wordsIn(readFiles())).toEqual(WORDS);
  });

  it("DATA-11 decodes everything when the file is opened again, and refuses another codec", async () => {
    const first = await fixture.current.open({ agents: AGENTS, codec: ENCRYPTED });
    const { id } = await first.start(contract(YAML), INPUT);
    await first.close();
    const second = await fixture.current.open({ agents: AGENTS, codec: ENCRYPTED });
    const handle = await second.get(id);
    await handle.signal("go", "signalword");
    expect(await handle.result()).toMatchObject({ said: "stdoutword" });
    expect(await second.verify(id)).toMatchObject({ ok: true });
    await second.close();
    for (const mode of ["own", "post", "readOnly"] as const)
      await expect(fixture.current.open({ mode })).rejects.toMatchObject({ code: "STORE_CODEC" });
    const third = await fixture.current.open({ agents: AGENTS, codec: ENCRYPTED });
    expect(await third.verify(id)).toMatchObject({ ok: true });
  });
});

describe("an asynchronous or failing codec", () => {
  const gone = async (): Promise<never> => {
    throw new Error("the key server is gone");
  };

  it("DATA-11 that returns promises is refused before anything is written", async () => {
    const codec = { encode: gone, decode: gone } as unknown as Codec;
    await expect(fixture.current.open({ codec })).rejects.toMatchObject({
      code: "STORE_CODEC",
      message: "the codec failed: `encode` of the codec must return text synchronously, but returned a promise",
    });
    expect(await (await fixture.current.open()).list()).toMatchObject({ executions: [] });
  });

  it("DATA-11 that fails is a fault of the store: pending writes succeed when it works again", async () => {
    let isGone = false;
    const codes: unknown[] = [];
    const encode = (body: string): string => (isGone ? (gone() as never) : ENCRYPTED.encode(body));
    const onFault = (fault: unknown): void => {
      codes.push((fault as { readonly code?: string }).code);
      isGone = false;
    };
    const engine = await fixture.current.open({ agents: AGENTS, codec: { ...ENCRYPTED, encode }, onFault });
    isGone = true;
    const handle = await engine.start(
      contract("name: w\nsteps: [{ id: a, agent: returns }]\noutput: ${ steps.a.output }"),
    );
    expect(await handle.result()).toBe("outputword");
    expect(await engine.verify(handle.id)).toMatchObject({ ok: true });
    expect(codes).toEqual(["STORE_CODEC"]);
  });
});

/** A codec with a second key, with which it writes nothing. */
function late(hasKey: () => boolean): Codec {
  return {
    ...ENCRYPTED,
    decode: (body) => {
      if (!body.startsWith("late ")) return ENCRYPTED.decode(body);
      if (!hasKey()) throw new Error("there is no such key");
      return ENCRYPTED.decode(body.slice("late ".length));
    },
  };
}

/** A codec that writes with the second key. */
const LATE: Codec = { ...late(() => true), encode: (body) => `late ${ENCRYPTED.encode(body)}` };

/** A codec whose `decode` throws every third time. */
function flaky(): Codec {
  let calls = 0;
  return {
    ...ENCRYPTED,
    decode: (body) => {
      if (++calls % 3 === 0) throw new Error("the key server is busy");
      return ENCRYPTED.decode(body);
    },
  };
}

describe("a codec that fails now and then", () => {
  it("DATA-11 JOURNAL-6 quarantines no execution, and loses no posted start", async () => {
    const yaml = contract("name: w\nsteps: [{ id: a, wait: { signal: go } }, { id: b, agent: large, dependsOn: [a] }]");
    const first = await fixture.current.open({ agents: AGENTS, codec: ENCRYPTED });
    const waiting = await Promise.all(Array.from({ length: 10 }, () => first.start(yaml)));
    await pollUntil(async () => (await waiting[0]!.status()).steps[0]!.status === "suspended", "it waits");
    await fixture.current.closeEngines();
    const owner = await fixture.current.open({ agents: AGENTS, codec: flaky() });
    const poster = await fixture.current.open({ mode: "post", codec: ENCRYPTED });
    const posted = await Promise.all(Array.from({ length: 10 }, () => poster.start(yaml)));
    for (const { id } of [...waiting, ...posted]) await (await poster.get(id)).signal("go", null);
    for (const { id } of [...waiting, ...posted]) await (await owner.get(id)).result();
    const { executions } = await owner.list({ limit: 100 });
    expect(executions.map(({ status }) => status)).toEqual(Array(20).fill("completed"));
    fixture.current.faults.length = 0;
  });
});

describe("a key that reaches the owner late", () => {
  it("JOURNAL-6 DATA-11 executions whose journals cannot be decoded are not quarantined, and continue when they can", async () => {
    const yaml = contract("name: w\nsteps: [{ id: a, wait: { for: 1ms } }, { id: b, agent: returns, dependsOn: [a] }]");
    const early = await fixture.current.open({ mode: "post", codec: ENCRYPTED });
    await early.close();
    const writer = await fixture.current.open({ agents: AGENTS, codec: LATE });
    const { id } = await writer.start(yaml);
    await fixture.current.closeEngines();
    let hasKey = false;
    let asked = 0;
    const codec = late(() => ++asked > 0 && hasKey);
    const owner = await fixture.current.open({ agents: AGENTS, codec });
    await pollUntil(() => asked > 24, "the owner has tried several times");
    const [summary] = (await owner.list()).executions;
    expect(summary).toMatchObject({ id });
    expect(summary).not.toHaveProperty("quarantined");
    expect(fixture.current.faults).not.toContainEqual(expect.objectContaining({ code: "STORE_CORRUPT" }));
    hasKey = true;
    await (await owner.get(id)).result();
    fixture.current.faults.length = 0;
  });

  it("LEASE-5 DATA-11 a posted start that cannot be decoded stays posted until it can", async () => {
    let hasKey = false;
    const owner = await fixture.current.open({ agents: AGENTS, codec: late(() => hasKey) });
    const poster = await fixture.current.open({ mode: "post", codec: LATE });
    const { id } = await poster.start(contract("name: w\nsteps: [{ id: a, agent: returns }]"));
    await pollUntil(() => fixture.current.faults.length > 0, "the owner has tried");
    expect(fixture.current.faults).toContainEqual(expect.objectContaining({ code: "STORE_CODEC" }));
    hasKey = true;
    await pollUntil(async () => (await owner.list()).executions.length === 1, "the start was taken");
    await (await owner.get(id)).result();
    fixture.current.faults.length = 0;
  });
});

describe("removed payloads", () => {
  it("DATA-11 PAYLOAD_REMOVED are gone from the file, the chain verifies, and a query for the result says so", async () => {
    const { id } = await runAll();
    const engine = await reopen();
    await engine.removePayloads(id);
    expect(await engine.verify(id)).toMatchObject({ ok: true });
    await expect((await engine.get(id)).result()).rejects.toMatchObject({ code: "PAYLOAD_REMOVED" });
    expect((await (await engine.get(id)).status()).status).toBe("completed");
    const lines = [];
    for await (const line of engine.logs(id)) lines.push(line);
    expect(lines).toEqual([]);
    await engine.vacuum();
    await engine.close();
    expect(wordsIn(readFiles()).filter((word) => word !== "failureword")).toEqual([]);
  });

  it("DATA-11 do not include the messages of failures, which belong to the chain", async () => {
    const { id } = await runAll();
    const engine = await reopen();
    await engine.removePayloads(id);
    await engine.vacuum();
    await engine.close();
    expect(wordsIn(readFiles())).toContain("failureword");
  });

  it("DATA-11 EXECUTION_UNFINISHED are refused for an execution that has not ended", async () => {
    const engine = await fixture.current.open({ agents: AGENTS });
    const { id } = await engine.start(contract(YAML), INPUT);
    await expect(engine.removePayloads(id)).rejects.toMatchObject({ code: "EXECUTION_UNFINISHED" });
  });
});
