// Loaded before the command (`node --import`): counts the moments at which a kill could leave something half done, and kills the
// process at one of them. Moments are before and after each commit of the journal, and before and after each git process that
// changes something (`git-wrapper.ts`). Each moment is a line of the file SEGNO_KILL_LOG, which several processes share; the
// process that writes the line SEGNO_KILL_AT is killed.

import { appendFileSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import threads from "node:worker_threads";

const { SEGNO_KILL_LOG: log, SEGNO_KILL_AT: at } = process.env;

function moment(name: string): void {
  appendFileSync(log!, `${name}\n`);
  if (readFileSync(log!, "utf8").split("\n").length - 1 >= Number(at)) process.kill(process.pid, "SIGKILL");
}

/** Databases in a transaction that writes. Reading transactions commit, too. */
const writing = new WeakSet<DatabaseSync>();

function watch(database: DatabaseSync, sql: string, statement: StatementSync): void {
  const run = statement.run.bind(statement) as (...values: readonly unknown[]) => ReturnType<StatementSync["run"]>;
  statement.run = (...values: readonly unknown[]) => {
    const isCommit = changesJournal(database, sql);
    if (isCommit) moment("before commit");
    const result = run(...values);
    if (isCommit) moment("after commit");
    return result;
  };
}

/** Whether a statement commits: as the end of a transaction, or as a change outside of one. */
function changesJournal(database: DatabaseSync, sql: string): boolean {
  if (sql === "BEGIN IMMEDIATE") writing.add(database);
  if (sql === "COMMIT" || sql === "ROLLBACK") return writing.delete(database) && sql === "COMMIT";
  return /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/iu.test(sql) && !writing.has(database);
}

if (log !== undefined) {
  // The wrapper of git kills this process only, never the parent of another git process.
  process.env["SEGNO_KILL_PID"] = String(process.pid);
  const prepare = Reflect.get(DatabaseSync.prototype, "prepare");
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest);
    if (this.location()?.endsWith("segno.db") === true) watch(this, sql, statement);
    return statement;
  };
  const { Worker } = threads;
  // The thread that writes the journal on a slow disk gets no flags of the process.
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: threads.WorkerOptions = {}) {
      super(file, { ...options, execArgv: [...(options.execArgv ?? []), "--import", import.meta.url] });
    }
  };
  syncBuiltinESMExports();
}
