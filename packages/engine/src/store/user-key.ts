// A random key of this user on this machine. It proves that this user created a store.
//
// The key is in the user's state folder, outside any repository, and only the user can read it. An attacker who plants
// a store does not have the key, so the store cannot claim to be this user's.

import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const KEY_BYTES = 32;

/** The key, created if there is none. Undefined if no key can be stored, for example in a read-only home folder. */
export function userKey(environment: NodeJS.ProcessEnv = process.env): Buffer | undefined {
  try {
    const folder = join(stateFolder(environment), "segno");
    const file = join(folder, "store-key");
    return keyIn(file) ?? madeKey(folder, file);
  } catch {
    return undefined;
  }
}

/** Follows the XDG base directory specification, which forbids relative paths. */
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

/** Links the key into place when it is complete. If two processes create a key at once, both use the first one. */
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
