// A process without a free file descriptor, which asks for the list of processes.

import { closeSync, openSync } from "node:fs";
import { listProcesses, listProcessesSync } from "../../src/runners/process/process-list.ts";
import { reserveDescriptor } from "../../src/runners/process/proc-read.ts";

/** Opens files until the system refuses. */
function exhaust(): readonly number[] {
  const open: number[] = [];
  try {
    for (;;) open.push(openSync("/dev/null", "r"));
  } catch {
    return open;
  }
}

reserveDescriptor();
const open = exhaust();
const isListedSync = listProcessesSync().includes(process.pid);
// The reserve is used up now.
const others = exhaust();
const listed = listProcesses();
const first = await Promise.race([listed, new Promise((resolve) => setTimeout(resolve, 1500, "waits"))]);
for (const descriptor of [...open, ...others]) closeSync(descriptor);
process.stdout.write(JSON.stringify({ isListedSync, first, isListed: (await listed).includes(process.pid) }));
