// The processes of a tree: those of a process group, and on Linux all that carry a marker in their environment variables,
// wherever they have gone. A process that was started without variables on purpose (`env -i setsid …`) is not found.

import { readdir, readFile } from "node:fs/promises";

const IS_LINUX = process.platform === "linux";

export interface ProcessTree {
  /** The pid of the main process, which leads the group. */
  readonly leader: number;
  /** `NAME=value` as it stands in the environment. */
  readonly marker: string;
}

/** The pids that are alive. Elsewhere than on Linux, the leader stands for the whole group. */
export async function findTree(tree: ProcessTree): Promise<readonly number[]> {
  if (!IS_LINUX) return signalGroup(tree.leader, 0) ? [tree.leader] : [];
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const found = await Promise.all(pids.map(async (pid) => ((await isInTree(pid, tree)) ? [pid] : [])));
  return found.flat();
}

export function signalTree({ leader }: ProcessTree, pids: readonly number[], signal: NodeJS.Signals): void {
  if (IS_LINUX) for (const pid of pids) trySignal(pid, signal);
  else signalGroup(leader, signal);
}

/** False if the group does not exist. Windows has no groups. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return trySignal(process.platform === "win32" ? leader : -leader, signal);
}

/** False if the target does not exist or may not be signalled. */
function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

async function isInTree(pid: number, { leader, marker }: ProcessTree): Promise<boolean> {
  const stat = await readProcessFile(pid, "stat");
  // The program name in parentheses may itself contain anything.
  const [state = "X", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z" || state === "X") return false;
  return Number(group) === leader || (await readProcessFile(pid, "environ")).split("\0").includes(marker);
}

/** Empty if the process has ended or belongs to another user. */
async function readProcessFile(pid: number, name: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
