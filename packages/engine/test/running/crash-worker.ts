// The process that the crash tests kill: an engine on a file that starts a contract and then waits.

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { loadContract } from "@segno/contract";
import { Engine } from "../../src/index.ts";

/** Arguments: the journal, the contract and the id of the execution. */
export const CRASH_WORKER: string = import.meta.filename;

if (CRASH_WORKER === process.argv[1]) {
  const [file, contract, id] = process.argv.slice(2) as [string, string, string];
  const engine = await Engine.open({ file, cwd: dirname(file) });
  await engine.start(loadContract(readFileSync(contract, "utf8")), null, { id });
  // Keeps the process alive until the test kills it.
  setInterval(() => undefined, 60_000);
}
