// Processes that a main-thread agent owns, in a real engine: nothing outlives it, nothing starts beside them, and no
// secret leaves it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { isDead, readStatSync } from "../../src/runners/process/process-stat.ts";
import { map, providedSecrets, workflow, type Engine, type OwnedProcess, type StepContext } from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { contract, ending, isAlive, pollUntil, useFixture } from "./fixture.ts";
import { OWNER_CONTRACT, OWNER_WORKER } from "./owner-worker.ts";

const fixture = useFixture();
const workers: ChildProcess[] = [];
afterEach(() => {
  for (const worker of workers.splice(0)) worker.kill("SIGKILL");
});

/** Has a child in a session of its own. None of its processes ends by SIGTERM. */
const STUBBORN = `trap "" TERM
setsid sh -c 'echo $$ >> pids; while :; do sleep 1; done' &
echo $$ >> pids
while :; do sleep 1; done`;

const forever = (): Promise<never> => new Promise(() => undefined);

function sh(engine: Engine, context: Omit<StepContext, "input">, script: string): OwnedProcess {
  const { folder: cwd } = fixture.current;
  return engine.extensions.spawn(context, { argv: ["/bin/sh", "-c", script], cwd, env: {} });
}

function isAliveNow(pid: number): boolean {
  const stat = readStatSync(pid);
  return stat !== undefined && !isDead(stat);
}

async function aliveAmongPids(): Promise<readonly boolean[]> {
  return Promise.all(fixture.current.numbers("pids").map(isAlive));
}

/** A process with an engine whose agent owns this script, when the script has written this many pids. */
async function startWorker(script: string, task: "exit" | "wait", pids: number): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [OWNER_WORKER, fixture.current.file, script, task], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  workers.push(worker);
  await fixture.current.wrote("pids", pids);
  return worker;
}

/** Opens the journal of a worker that has ended, and runs the execution to its end. */
async function takeOver(): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const engine = await fixture.current.open({
    agents: { work: () => void seen.push(fixture.current.numbers("pids").filter(isAliveNow)) },
  });
  await (await engine.get("first")).result();
  return seen;
}

/** The processes that the journal records. */
function recorded(): readonly unknown[] {
  const database = new DatabaseSync(fixture.current.file, { readOnly: true });
  try {
    return database
      .prepare("SELECT pid FROM processes")
      .all()
      .map(({ pid }) => pid);
  } finally {
    database.close();
  }
}

describe.runIf(process.platform === "linux")("processes of an agent whose engine was killed", () => {
  it("CANCEL-2 JOURNAL-3 are killed by the next owner before it starts anything, in whichever session they are", async () => {
    const script = "setsid sleep 1000 & echo $! >> pids; echo $$ >> pids; sleep 1000";
    const worker = await startWorker(script, "wait", 2);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    expect(await aliveAmongPids()).toEqual([true, true]);
    expect(await takeOver()).toEqual([[]]);
  });

  it("CANCEL-2 are found by their record if they have cleared their environment", async () => {
    const worker = await startWorker("echo $$ >> pids; exec env -i sleep 1000", "wait", 1);
    await pollUntil(() => recorded().length === 1, "the process is recorded");
    worker.kill("SIGKILL");
    await once(worker, "exit");
    expect([await aliveAmongPids(), recorded()]).toEqual([[true], fixture.current.numbers("pids")]);
    expect(await takeOver()).toEqual([[]]);
  });
});

describe("processes of an agent", () => {
  it("CANCEL-2 are killed when their process exits without closing its engine", async () => {
    const worker = await startWorker(STUBBORN, "exit", 2);
    worker.stdin!.write("exit\n");
    expect(await once(worker, "exit")).toEqual([0, null]);
    await pollUntil(async () => !(await aliveAmongPids()).includes(true), "they are gone");
  });

  it("CANCEL-2 are killed when the engine closes, which waits for them", async () => {
    const work = (_: unknown, context: StepContext): Promise<unknown> => (sh(engine, context, STUBBORN), forever());
    const engine: Engine = await fixture.current.open({ agents: { work } });
    await engine.start(contract(OWNER_CONTRACT));
    await fixture.current.wrote("pids", 2);
    await engine.close();
    expect(fixture.current.numbers("pids").filter(isAliveNow)).toEqual([]);
  });
});

describe("processes of a handler", () => {
  it("CANCEL-2 BEYOND-1 FAIL-8 belong to the attempt of a step, of an item or of a compensation alike", async () => {
    const engine = await fixture.current.open();
    const exits: unknown[] = [];
    const work = async (context: Omit<StepContext, "input">): Promise<void> => {
      const { mainExit } = sh(engine, context, "exit 7");
      exits.push([context.step.id, (await mainExit).code]);
    };
    const built = workflow("owners", { onFailure: "compensate" })
      .step("step", work)
      .compensate("step", work)
      .step("items", { dependsOn: ["step"] }, map([1], work))
      .step("end", { dependsOn: ["items"], retry: 1 }, () => {
        throw new Error("the end");
      });
    await expect((await engine.start(built)).result()).rejects.toThrow("the end");
    expect(exits).toEqual([
      ["step", 7],
      ["items/0", 7],
      ["step/compensate", 7],
    ]);
  });
});

/** The engine, and for every call of its agent `look` the processes of `pids` that were alive when it began. */
interface Watched {
  readonly test: TestEngine;
  readonly seen: (readonly number[])[];
}

async function openWatched(): Promise<Watched> {
  const seen: (readonly number[])[] = [];
  const look = (): void => void seen.push(fixture.current.numbers("pids").filter(isAliveNow));
  const own = (_: unknown, context: StepContext): Promise<unknown> => (sh(test.engine, context, STUBBORN), forever());
  const test: TestEngine = await openTestEngine({ agents: { look, own } });
  return { test, seen };
}

describe.runIf(process.platform === "linux")("after an agent with processes was stopped by force", () => {
  it("CANCEL-2 FAIL-4 the next step starts when none of them runs, although the agent's code does", async () => {
    const { test, seen } = await openWatched();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: late
grace: 500ms
steps:
  - { id: work, agent: own, timeout: 1s, retry: 1, onError: continue }
  - { id: next, agent: look, dependsOn: [{ step: work, on: settled }] }
`),
    );
    await fixture.current.wrote("pids", 2);
    await test.advance("1500ms");
    expect(await ending(handle)).toBe("completed");
    expect(seen).toEqual([[]]);
  });

  it("CANCEL-2 FAIL-8 compensation starts when none of them runs", async () => {
    const { test, seen } = await openWatched();
    await using _ = test;
    const handle = await test.start(
      contract(`
name: undone
steps:
  - { id: first, agent: look, compensate: { agent: look } }
  - { id: work, agent: own, dependsOn: [first] }
`),
    );
    await fixture.current.wrote("pids", 2);
    await handle.cancel({ graceMs: 300, compensate: true });
    await test.advance(300);
    expect(await ending(handle)).toBe("cancelled");
    expect(seen).toEqual([[], []]);
  });
});

describe("the output of a process of an agent", () => {
  it("DATA-9 is masked by `newStreamMasker`, also a secret that is split over chunks", async () => {
    const secrets = providedSecrets(() => "correct-horse");
    const work = async (_: unknown, context: StepContext): Promise<string> => {
      const owned = sh(engine, context, 'read -r secret; printf "%s" "$secret"');
      owned.stdin.end(`${context.secrets["TOKEN"]}\n`);
      const mask = engine.extensions.newStreamMasker(context);
      const parts: Uint8Array[] = [];
      for await (const chunk of owned.stdout)
        for (const byte of chunk as Buffer) parts.push(mask.write(Uint8Array.of(byte)));
      fixture.current.write("transcript", Buffer.concat([...parts, mask.end()]).toString());
      return "done";
    };
    const engine: Engine = await fixture.current.open({ agents: { work }, secrets });
    const yaml = "name: masks\nsecrets: [TOKEN]\nsteps: [{ id: work, agent: work, secrets: [TOKEN] }]\n";
    await (await engine.start(contract(yaml))).result();
    expect(fixture.current.text("transcript")).toBe("***");
  });
});

describe("inherited variables", () => {
  afterEach(() => {
    for (const name of ["SAMPLE_API_KEY", "SAMPLE_MODE", "OTHER_TOKEN"]) delete process.env[name];
  });

  it("DATA-9 whose names say that they are secrets are masked, of owned processes and of commands", async () => {
    Object.assign(process.env, {
      SAMPLE_API_KEY: "k-4711-k-4711",
      SAMPLE_MODE: "plain-value",
      OTHER_TOKEN: "t-0815-t-0815",
    });
    const prints = 'echo "$SAMPLE_API_KEY $SAMPLE_MODE"';
    const engine: Engine = await fixture.current.open({
      inheritEnv: ["OTHER_*"],
      agents: {
        print: async (_, context) => {
          const command = {
            argv: ["/bin/sh", "-c", prints],
            cwd: fixture.current.folder,
            env: {},
            inherits: ["SAMPLE_*"],
          };
          const printed: Buffer[] = [];
          const owned = engine.extensions.spawn(context, command);
          owned.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
          await once(owned.stdout, "end");
          return Buffer.concat(printed).toString();
        },
      },
    });
    const handle = await engine.start(
      contract("name: w\nsteps: [{ id: a, agent: print }, { id: b, run: 'echo $OTHER_TOKEN' }]"),
    );
    await handle.result();
    expect(await handle.output("a")).toBe("*** plain-value\n");
    expect(await handle.output("b")).toMatchObject({ stdout: "***" });
  });
});
