// A random key of this user on this machine, by which a store is known to be theirs.
//
// It lies in the user's state folder, outside of any repository, and only the user can read it. Whoever plants a store
// somewhere does not have it, so the store cannot claim to be this user's.

import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const KEY_BYTES = 32;

/** The key, made where there is none; nothing where none can be kept, as in a home folder that cannot be written. */
export function userKey(environment: NodeJS.ProcessEnv = process.env): Buffer | undefined {
  try {
    const folder = join(stateFolder(environment), "segno");
    const file = join(folder, "store-key");
    return keyIn(file) ?? madeKey(folder, file);
  } catch {
    return undefined;
  }
}

/** As the XDG base directory specification says; a relative path is not to be used. */
function stateFolder({ XDG_STATE_HOME: state = "", LOCALAPPDATA: local = "" }: NodeJS.ProcessEnv): string {
  if (isAbsolute(state)) return state;
  return process.platform === "win32" && isAbsolute(local) ? local : join(homedir(), ".local", "state");
}

function keyIn(file: string): Buffer | undefined {
  try {
    const key = readFileSync(file);
    return key.length === KEY_BYTES ? key : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Linked into place when it is whole: of two processes that make one at once, both use the one that came first. */
function madeKey(folder: string, file: string): Buffer | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `store-key-${process.pid}-${randomBytes(8).toString("hex")}`);
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return keyIn(file);
}
