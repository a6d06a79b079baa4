// The engine on a disk: what durability costs beyond the disk itself.
//
// Baselines are `node:sqlite` by hand: a table of integers and a text, one insert for each step in a transaction of its own,
// or, where many executions commit together, as many rows by the hundred.

import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Engine } from "@segno/engine";
import { contest } from "./contest.ts";
import { AGENTS, makeChain, inParallel, run } from "./engine-workflows.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { stallNote } from "./stall.ts";

const ROW =
  '{"v":1,"seq":12,"at":1700000000000,"kind":"step.completed","step":12,"output":{"kind":"inline","json":null}}';

class RawTable {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  #seq = 0;

  constructor(file: string, synchronous: "FULL" | "NORMAL") {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      `PRAGMA journal_mode=WAL; PRAGMA synchronous=${synchronous}; CREATE TABLE row (execution INTEGER, seq INTEGER, body TEXT)`,
    );
    this.#insert = this.#database.prepare("INSERT INTO row VALUES (?, ?, ?)");
  }

  insert(rows: number): void {
    for (let row = 0; row < rows; row++) this.#insert.run(1, this.#seq++, ROW);
  }

  insertTogether(rows: number, atOnce: number): void {
    for (let done = 0; done < rows; done += atOnce) {
      this.#database.exec("BEGIN");
      this.insert(Math.min(atOnce, rows - done));
      this.#database.exec("COMMIT");
    }
  }

  close(): void {
    this.#database.close();
  }
}

const STEPS = 1000;
/** A step is so little code that it takes about eight thousand of them until all of it is compiled. */
const WARM_UPS = 10;

export async function benchChain(): Promise<readonly Figure[]> {
  return [await chain("full", "FULL", 1.25), await chain("relaxed", "NORMAL", 2)];
}

function chain(durability: "full" | "relaxed", synchronous: "FULL" | "NORMAL", limit: number): Promise<Figure> {
  return withFolder(async (folder) => {
    await using engine = await Engine.open({ file: join(folder, "engine.db"), durability, agents: AGENTS });
    const raw = new RawTable(join(folder, "raw.db"), synchronous);
    const workflow = makeChain(STEPS);
    const { oursMs, baselineMs, stallMs } = await contest({
      ours: () => run(engine, workflow),
      baseline: () => raw.insert(STEPS),
      rounds: 41,
      warmUps: WARM_UPS,
    });
    raw.close();
    return figure(
      `chain: ${STEPS} steps one after the other, ${durability}`,
      oursMs / baselineMs,
      limit,
      `${ms(oursMs)} against ${ms(baselineMs)}, ${stallNote(stallMs)}`,
    );
  });
}

export function benchMany(): Promise<readonly Figure[]> {
  const executions = 1000;
  const atOnce = 100;
  const workflow = makeChain(10);
  return withFolder(async (folder) => {
    await using engine = await Engine.open({
      file: join(folder, "engine.db"),
      agents: AGENTS,
      limits: { slots: atOnce },
    });
    const raw = new RawTable(join(folder, "raw.db"), "FULL");
    const { oursMs, baselineMs, stallMs } = await contest({
      ours: () => inParallel(executions, atOnce, () => run(engine, workflow)),
      baseline: () => raw.insertTogether(executions * 10 * 2, 100),
      rounds: 15,
      warmUps: 5,
    });
    raw.close();
    return [
      figure(
        `many: ${executions} executions of 10 steps, ${atOnce} at once`,
        oursMs / baselineMs,
        3,
        `${ms(oursMs)} against ${ms(baselineMs)}, ${stallNote(stallMs)}`,
      ),
    ];
  });
}

/** The bytes on disk of a step without work: the size of the closed file, less the size of an empty one. */
export function benchDisk(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    const file = join(folder, "engine.db");
    const sizeAfter = async (executions: number): Promise<number> => {
      await using engine = await Engine.open({ file, durability: "relaxed", agents: AGENTS });
      for (let execution = 0; execution < executions; execution++) await run(engine, makeChain(STEPS));
      await engine.close();
      return statSync(file).size;
    };
    const [few, more] = [await sizeAfter(1), await sizeAfter(10)];
    const bytes = (more - few) / (10 * STEPS);
    return [figure("disk: bytes a step, over 400", bytes / 400, 1, `${bytes.toFixed(0)} bytes`)];
  });
}
