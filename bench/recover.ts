// Recovery: what is unfinished is read, checked and folded.
//
// The executions are parked before their last step, which nothing is registered to run. So nothing runs and nothing is
// written when they come back, and what is timed is recovery alone; an execution that was running would also write that
// its attempt was lost, and go on, which is what `chain` and `many` measure. An engine leaves parked executions where they
// are until somebody asks for them, so the second figure asks for each of them.
//
//   folded:  the store gives the execution, every event is checked, the chain and the head, and it is folded.
//   claimed: an engine opens on the file, lists what is unfinished, and takes all of it into memory.
//
// Baseline: `node:sqlite` by hand: one SELECT of the journal's rows of what is unfinished, with the columns that recovery
// needs, in the order of the table, and `JSON.parse` of every line. It sorts nothing, checks nothing and keeps nothing.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type ExecutionId } from "@segno/kernel";
import { Engine } from "@segno/engine";
import { openSqliteStore } from "../packages/engine/src/store/sqlite/open-sqlite-store.ts";
import { contest, type Medians } from "./contest.ts";
import { AGENTS, makeUnfinished } from "./engine-workflows.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { stallNote } from "./stall.ts";
import { inspectEngine } from "@segno/engine/testing";

const EXECUTIONS = 1000;
const STEPS = 10;
const LIMIT = 2.5;
const ROUNDS = 15;

const SELECT_ROWS = `
SELECT execution, first_seq, count, hash, body FROM journal
WHERE execution IN (SELECT key FROM executions WHERE status NOT IN ('completed', 'failed', 'cancelled'))`;

export function benchRecover(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    const file = join(folder, "engine.db");
    const ids = await parkMany(file);
    const raw = new DatabaseSync(file, { readOnly: true });
    const select = raw.prepare(SELECT_ROWS);
    const baseline = (): void => {
      for (const { body } of select.all() as { body: string }[]) for (const line of body.split("\n")) JSON.parse(line);
    };
    const figures = [
      toFigure("read, checked and folded", LIMIT, await folded(file, ids, baseline)),
      toFigure("claimed by an engine that opens", undefined, await claimed(file, ids, baseline)),
    ];
    raw.close();
    return figures;
  });
}

function toFigure(what: string, limit: number | undefined, { oursMs, baselineMs, stallMs }: Medians): Figure {
  const name = `recover: ${EXECUTIONS} executions of ${STEPS} steps, ${what}`;
  const note = `${ms(oursMs)} against ${ms(baselineMs)}, ${stallNote(stallMs)}`;
  return figure(name, oursMs / baselineMs, limit, note);
}

/** Side by side, so that their rows are mixed in the table as they are where many run at once. */
async function parkMany(file: string): Promise<readonly ExecutionId[]> {
  await using engine = await Engine.open({
    file,
    durability: "relaxed",
    agents: AGENTS,
    limits: { slots: 100 },
  });
  const workflow = makeUnfinished(STEPS);
  let parked = 0;
  const allParked = new Promise<void>((resolve) => {
    engine.subscribe({ kinds: ["execution.parked"] }, ({ events }) => {
      parked += events.length;
      if (parked === EXECUTIONS) resolve();
    });
  });
  const handles = await Promise.all(Array.from({ length: EXECUTIONS }, () => engine.start(workflow)));
  await allParked;
  return handles.map(({ id }) => id as ExecutionId);
}

async function folded(file: string, ids: readonly ExecutionId[], baseline: () => void): Promise<Medians> {
  const store = await openSqliteStore(file);
  await using engine = await Engine.open({ store });
  const { journals } = inspectEngine(engine);
  const ours = async (): Promise<void> => {
    for (const id of ids) {
      const loaded = await store.load(id);
      const back = loaded === undefined ? undefined : await journals.fold(loaded);
      if (back?.state.hold?.kind !== "parked") throw new Error(`the execution ${id} did not come back`);
    }
  };
  // Awaited here: the engine closes the store when this returns.
  return await contest({ ours, baseline, rounds: ROUNDS });
}

async function claimed(file: string, ids: readonly ExecutionId[], baseline: () => void): Promise<Medians> {
  let engine: Engine | undefined;
  const ours = async (): Promise<void> => {
    engine = await Engine.open({ file, agents: AGENTS });
    for (const id of ids) await inspectEngine(engine).claim(id);
  };
  const putBack = async (): Promise<void> => {
    if (engine === undefined || inspectEngine(engine).liveCount !== EXECUTIONS)
      throw new Error("not every execution was claimed");
    await engine.close();
  };
  return contest({ ours, baseline, rounds: ROUNDS, putBack });
}
