// Processes that an attempt of a main-thread agent owns.

import { afterEach, describe, expect, it, vi } from "vitest";
import { ConsoleCapture } from "../../src/events/console-capture.ts";
import { Masker } from "../../src/secrets/masker.ts";
import type { OwnedProcess } from "../../src/runners/process/owned-process.ts";
import { isDead, readStatSync } from "../../src/runners/process/process-stat.ts";
import type { ProcessEntry, ProcessRecords } from "../../src/store/process-records.ts";
import { OwnedAgent, pidsOf, said } from "./owned-agent.ts";
import { isAlive, toFailure, toOutput, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

afterEach(() => {
  vi.restoreAllMocks();
});

/** Ignores SIGTERM, as do its child in its group and its child in a session of its own. */
const STUBBORN = `trap '' TERM
sleep 1000 & echo $!
setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!
echo $$; echo ready; while :; do sleep 1; done`;

const forever = (): Promise<never> => new Promise(() => undefined);

async function alive(pids: readonly number[]): Promise<readonly boolean[]> {
  return Promise.all(pids.map(isAlive));
}

/** Synchronous: a process that is being killed must not have the time to end. */
function isAliveNow(pid: number): boolean {
  const stat = readStatSync(pid);
  return stat !== undefined && !isDead(stat);
}

describe("a process that an agent owns", () => {
  it("CANCEL-2 gets SIGTERM once when its attempt is aborted, whatever the agent does after it", async () => {
    const trees = fixture.current.trees({ graceMs: 3_600_000 });
    const agent = new OwnedAgent(fixture.current, fixture.current.ownedProcesses(trees));
    const { promise: isReady, resolve } = Promise.withResolvers<OwnedProcess>();
    const script = "trap 'echo told' TERM; echo ready; while [ ! -e go ]; do sleep 0.01; done; exit 7";
    const { attempt, running } = agent.start(async (context) => {
      const owned = agent.sh(context, script);
      context.signal.addEventListener("abort", () => owned.stop());
      await said(owned, /ready/u);
      resolve(owned);
      return owned.mainExit;
    });
    const signals = vi.spyOn(process, "kill");
    const told = said(await isReady, /told/u);
    running.abort(false, "enough");
    running.abort(false, "enough");
    await told;
    // Time for further signals: the scans of `stop` come before these.
    for (let scan = 0; scan < 3; scan++) await trees.finder.find("none");
    fixture.current.file("go", "");
    expect(toOutput(await attempt.ended)).toEqual({ code: 7, signal: null });
    expect(signals.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([[-(await isReady).pid!, "SIGTERM"]]);
  });

  it("CANCEL-2 is killed with its whole tree when its attempt is stopped by force", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { promise: pids, resolve } = Promise.withResolvers<readonly number[]>();
    const { attempt, running } = agent.start(async (context) => {
      const process = agent.sh(context, STUBBORN);
      resolve(await pidsOf(process));
      await process.mainExit;
    });
    const tree = await pids;
    expect(await alive(tree)).toEqual([true, true, true]);
    attempt.onExited = () => attempt.calls.push(`exited, ${tree.filter(isAliveNow).length} processes`);
    running.abort(true, "enough");
    await running.processesExited;
    expect(await alive(tree)).toEqual([false, false, false]);
    await expect.poll(() => attempt.calls).toEqual(["exited, 0 processes"]);
    expect(agent.lingering).toBe(0);
  });

  it.each(["returns", "throws"])(
    "CANCEL-2 is stopped when its agent %s, and the attempt ends after it",
    async (how) => {
      const agent = new OwnedAgent(fixture.current);
      const pids: number[] = [];
      const { attempt } = agent.start(async (context) => {
        pids.push(...(await pidsOf(agent.sh(context, STUBBORN))));
        if (how === "throws") throw new Error("it went wrong");
        return "done";
      });
      const end = attempt.onEnded.bind(attempt);
      attempt.onEnded = (outcome) => {
        attempt.calls.push(`${pids.filter(isAliveNow).length} processes`);
        end(outcome);
      };
      const outcome = await attempt.ended;
      if (how === "throws") expect(toFailure(outcome)).toMatchObject({ message: "it went wrong" });
      else expect(toOutput(outcome)).toBe("done");
      expect(pids).toHaveLength(3);
      expect(attempt.calls).toEqual(["exited", "0 processes", "end"]);
      expect(attempt.isDeadlineDropped).toBe(true);
    },
  );
});

describe("a process that is still being stopped, or whose agent cannot be", () => {
  it("CANCEL-2 is killed when its attempt is stopped by force while it is being stopped, and the outcome is dropped", async () => {
    const agent = new OwnedAgent(
      fixture.current,
      fixture.current.ownedProcesses(fixture.current.trees({ graceMs: 3_600_000 })),
    );
    const returned = Promise.withResolvers<void>();
    const { attempt, running } = agent.start(async (context) => {
      await pidsOf(agent.sh(context, STUBBORN));
      setImmediate(returned.resolve);
      return "done";
    });
    await returned.promise;
    running.abort(true, "enough");
    await attempt.isSettled;
    expect(attempt.calls).toEqual(["exited"]);
    expect(agent.lingering).toBe(0);
  });

  it("CANCEL-2 ends without the agent's code, which lingers", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { promise: pids, resolve } = Promise.withResolvers<readonly number[]>();
    const { attempt, running } = agent.start(async (context) => {
      resolve(await pidsOf(agent.sh(context, STUBBORN)));
      return forever();
    });
    const tree = await pids;
    running.abort(true, "enough");
    await running.processesExited;
    expect([await alive(tree), agent.lingering, attempt.calls]).toEqual([[false, false, false], 1, []]);
  });

  it("CANCEL-2 is stopped before an uncaught error of the agent's code ends the attempt", async () => {
    const capture = new ConsoleCapture({ masker: new Masker(), hasLogs: false, isShown: false, addLate: () => {} });
    const agent = new OwnedAgent(fixture.current, undefined, capture);
    const scope = vi.spyOn(capture, "openScope");
    const { promise: pids, resolve } = Promise.withResolvers<readonly number[]>();
    const { attempt } = agent.start(async (context) => {
      resolve(await pidsOf(agent.sh(context, STUBBORN)));
      return forever();
    });
    const tree = await pids;
    expect(scope.mock.results[0]!.value.onUncaught(new Error("nobody catches this"))).toBe(true);
    expect(toFailure(await attempt.ended)).toMatchObject({ message: "nobody catches this" });
    expect([tree.filter(isAliveNow), agent.lingering, attempt.calls]).toEqual([[], 1, ["end"]]);
  });
});

describe("the end of a process that an agent owns", () => {
  it("CANCEL-2 is that of its whole tree: remaining processes are terminated first", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start(async (context) => {
      const process = agent.sh(context, "setsid sleep 1000 >/dev/null 2>&1 & echo $!; echo ready; exit 3");
      const pids = await pidsOf(process);
      const exit = await process.mainExit;
      await process.treeExited;
      return { exit, alive: await alive(pids) };
    });
    expect(toOutput(await attempt.ended)).toEqual({ exit: { code: 3, signal: null }, alive: [false] });
  });

  it("CANCEL-2 does not affect the other processes of its attempt", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start(async (context) => {
      const [first, second] = [agent.sh(context, STUBBORN), agent.sh(context, "setsid sleep 1000 & exit 0")];
      const pids = await pidsOf(first);
      await second.treeExited;
      const before = await alive(pids);
      first.stop();
      first.stop();
      await first.treeExited;
      return { before, after: await alive(pids), exit: await first.mainExit };
    });
    const exit = { code: null, signal: "SIGKILL" };
    expect(toOutput(await attempt.ended)).toEqual({ before: [true, true, true], after: [false, false, false], exit });
  });

  it("CANCEL-2 is that of its whole tree also if a command started while it ran", async () => {
    const trees = fixture.current.trees();
    const agent = new OwnedAgent(fixture.current, fixture.current.ownedProcesses(trees));
    const now = performance.now.bind(performance);
    const { attempt } = agent.start(async (context) => {
      const pids = await pidsOf(agent.sh(context, STUBBORN));
      // Later than any cache of a scan is valid.
      vi.spyOn(performance, "now").mockImplementation(() => now() + 3_600_000);
      await fixture.current.startScript("true", {}, fixture.current.runner({ trees })).attempt.ended;
      return pids;
    });
    expect((toOutput(await attempt.ended) as number[]).map(isAliveNow)).toEqual([false, false, false]);
  });
});

describe("the rest of a process that an agent owned", () => {
  it("is its output, which was read when it has exited", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start(async (context) => {
      const process = agent.sh(context, "head -c 300000 /dev/zero; cat >&2");
      let [bytes, errors] = [0, ""];
      process.stdout.on("data", (chunk: Buffer) => (bytes += chunk.length));
      process.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
      process.stdin.end("from stdin");
      await process.treeExited;
      return { bytes, errors };
    });
    expect(toOutput(await attempt.ended)).toEqual({ bytes: 300_000, errors: "from stdin" });
  });

  it("is its pipes, which are closed with the attempt although a process that cannot be found holds them", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { promise: owned, resolve } = Promise.withResolvers<OwnedProcess>();
    const { attempt } = agent.start(async (context) => {
      const process = agent.sh(context, "env -i setsid sh -c 'echo $$; echo ready; exec sleep 1000' & :");
      resolve(process);
      const pids = await pidsOf(process);
      await process.treeExited;
      return { isClosed: process.stdout.closed, pids };
    });
    const { isClosed, pids } = toOutput(await attempt.ended) as { isClosed: boolean; pids: number[] };
    expect([isClosed, (await owned).stdout.destroyed, await alive(pids)]).toEqual([false, true, [true]]);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  });

  it("CANCEL-2 is its record, which is removed from the store; each process has one", async () => {
    const entries = new Map<string, ProcessEntry>();
    const noted = Promise.withResolvers<void>();
    const records: ProcessRecords = {
      noteProcess: async (entry) => void (entries.set(entry.marker, entry).size === 2 && noted.resolve()),
      forgetProcess: async (marker) => void entries.delete(marker),
      processes: async () => [...entries.values()],
    };
    const agent = new OwnedAgent(fixture.current, fixture.current.ownedProcesses(fixture.current.trees({ records })));
    const { attempt } = agent.start(async (context) => {
      const owned = [agent.sh(context, "exec sleep 1000"), agent.sh(context, "exec sleep 1000")];
      await noted.promise;
      return { pids: owned.map(({ pid }) => pid), recorded: Array.from(entries.values(), ({ pid }) => pid) };
    });
    const { pids, recorded } = toOutput(await attempt.ended) as { pids: number[]; recorded: number[] };
    expect(new Set(recorded)).toEqual(new Set(pids));
    expect([entries.size, await alive(pids)]).toEqual([0, [false, false]]);
  });
});
