// A crowd: what an execution costs when there are 100,000 of them, over what it costs when there are 1,000.
//
//   start and finish: all are started at once, three steps each, and all results are waited for.
//   wait and signal:  all are started at once and wait for a signal; when all wait, all get it at once, and all are waited for.
//   retention:        all have ended, and are removed.
//   list:             all have ended, and are listed page by page, by their status and their workflow.
//
// 100,000 are ten times as many as an engine keeps in memory: starts wait, and executions that only wait leave memory. Each
// round has a new file. The first rounds are not counted. Sizes are measured by turns, so that a slow hour hits all of them.
// A stall is the longest time in which the event loop did not turn, in any round that counts; the loop that makes all calls
// is told beside it, because it is not the engine's.

import { join } from "node:path";
import { Engine, type ExecutionHandle } from "@segno/engine";
import { groupedDigits } from "@segno/contract";
import { epochMs, stepId, type Definition } from "@segno/kernel";
import { Retention } from "../packages/engine/src/ownership/retention.ts";
import { openSqliteStore } from "../packages/engine/src/store/sqlite/open-sqlite-store.ts";
import type { SqliteStore } from "../packages/engine/src/store/sqlite/sqlite-store.ts";
import { AGENTS, makeChain } from "./engine-workflows.ts";
import { figure, median, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { measured, type Measured } from "./stall.ts";

const SIZES = [1000, 10_000, 100_000] as const;
/** Rounds of each size, for one of the largest. */
const ROUNDS = [10, 2, 1] as const;
const TURNS = 2;
const WARM_UPS = 5;

const GROWTH_MAX = 1.5;
const STALL_MAX_MS = 250;

const CHAIN = makeChain(3);
const UNTIL_TOLD: Definition = {
  name: "until-told",
  steps: [{ id: stepId("wait"), action: { kind: "wait", on: "signal", signal: "go" } }],
};

type Part = "start and finish" | "wait and signal" | "list" | "retention";

type Costs = Readonly<Record<Part, Measured>>;

export async function benchCrowd(): Promise<readonly Figure[]> {
  for (let round = 0; round < WARM_UPS; round++) await costs(SIZES[0]);
  const rounds = SIZES.map((): Costs[] => []);
  for (let turn = 0; turn < TURNS; turn++)
    for (const [place, size] of SIZES.entries())
      for (let round = 0; round < ROUNDS[place]!; round++) rounds[place]!.push(await costs(size));
  return (["start and finish", "wait and signal", "list", "retention"] as const).flatMap((part) =>
    toFigures(
      part,
      rounds.map((each) => each.map((measures) => measures[part])),
    ),
  );
}

function toFigures(part: Part, measures: readonly (readonly Measured[])[]): readonly Figure[] {
  const micros = measures.map((each, place) => (median(each.map(({ ms }) => ms)) * 1000) / SIZES[place]!);
  const stalls = measures.map((each) => Math.max(...each.map(({ stallMs }) => stallMs)));
  const calls = measures.at(-1)!.map(({ callMs }) => callMs);
  const note = (values: readonly number[], unit: string): string =>
    values.map((value, place) => `${value.toFixed(0)} ${unit} at ${groupedDigits(SIZES[place]!)}`).join(", ");
  return [
    figure(
      `crowd: ${part}, an execution of 100,000 against one of 1,000`,
      micros.at(-1)! / micros[0]!,
      GROWTH_MAX,
      note(micros, "µs"),
    ),
    figure(
      `crowd: ${part}, the longest stall, over ${STALL_MAX_MS} ms`,
      Math.max(...stalls) / STALL_MAX_MS,
      1,
      `${note(stalls, "ms")}; ${Math.max(...calls).toFixed(0)} ms for the calls themselves`,
    ),
  ];
}

function costs(size: number): Promise<Costs> {
  return withFolder(async (folder) => {
    const store = await openSqliteStore(join(folder, "engine.db"));
    await using engine = await Engine.open({ store, agents: AGENTS, limits: { slots: 100 } });
    const startAndFinish = await measured(() => finish(engine, size));
    const waitAndSignal = await measured(() => signal(engine, size));
    return {
      "start and finish": startAndFinish,
      "wait and signal": waitAndSignal,
      list: await measured(() => list(engine, size)),
      // Twice as many are removed as are counted: both workflows.
      retention: half(await measured(() => remove(engine, store))),
    };
  });
}

async function finish(engine: Engine, size: number): Promise<void> {
  const handles = await startAll(engine, CHAIN, size);
  await Promise.all(handles.map((handle) => handle.result()));
}

async function signal(engine: Engine, size: number): Promise<void> {
  const handles = await startAll(engine, UNTIL_TOLD, size);
  await Promise.all(handles.map((handle) => handle.signal("go")));
  await Promise.all(handles.map((handle) => handle.result()));
}

function startAll(engine: Engine, workflow: Definition, size: number): Promise<readonly ExecutionHandle[]> {
  return Promise.all(Array.from({ length: size }, () => engine.start(workflow)));
}

async function list(engine: Engine, size: number): Promise<void> {
  const filter = { status: ["completed"], workflow: CHAIN.name } as const;
  let seen = 0;
  for (let page = await engine.list(filter); ; page = await engine.list(filter, page.cursor)) {
    seen += page.executions.length;
    if (page.cursor === undefined) break;
  }
  if (seen !== size) throw new Error(`${seen} of ${size} executions were listed`);
}

/** A sweep as the engine makes it once a minute, when everything is old enough. */
async function remove(engine: Engine, store: SqliteStore): Promise<void> {
  const retention = new Retention({
    options: { retention: { endedMs: 0 } },
    access: { store, isOpenOwner: true },
    ages: { before: () => epochMs(Date.now() + 1000), notice: () => undefined },
    // Without the pauses that leave time to others: they would be most of what is measured.
    timers: { sleep: () => new Promise((resolve) => setImmediate(resolve)) },
    artifacts: { removeLeftCopies: () => undefined, sweep: () => Promise.resolve() },
  });
  await retention.sweep();
  if ((await engine.list()).executions.length > 0) throw new Error("not everything was removed");
}

function half({ ms, ...rest }: Measured): Measured {
  return { ms: ms / 2, ...rest };
}
