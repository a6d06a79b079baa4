// The files of a session, in a folder outside the workspace.
//
//   SF1. The agent can write to this folder. A file is read only if it is a plain file, and only up to a limit: a link
//        could lead to any file of the user, and opening a pipe could wait for ever.

import { constants } from "node:fs";
import { lstat, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "@segno/kernel";

const FILE_BYTES_MAX = 1024 * 1024;

export class SessionFiles {
  readonly folder: string;
  readonly prompt: string;
  readonly context: string;
  /** Written by the agent. */
  readonly result: string;
  /** Written by an agent that keeps its last message in a file. */
  readonly lastMessage: string;
  readonly transcript: string;

  constructor(folder: string) {
    this.folder = folder;
    this.prompt = join(folder, "prompt.md");
    this.context = join(folder, "context.json");
    this.result = join(folder, "result.json");
    this.lastMessage = join(folder, "last-message.txt");
    this.transcript = join(folder, "transcript.log");
  }

  /** Writes the files for the agent, and removes those of an earlier agent. */
  async prepare(prompt: string, context: Json): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const files = [this.prompt, this.context, this.result, this.lastMessage, this.transcript];
    await Promise.all(files.map((file) => rm(file, { recursive: true, force: true })));
    await writeFile(this.prompt, prompt, { mode: 0o600, flag: "wx" });
    await writeFile(this.context, `${JSON.stringify(context, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  }

  async hasResult(): Promise<boolean> {
    return await lstat(this.result).then(
      () => true,
      () => false,
    );
  }

  /** The content of the result file; undefined if there is none or if it is not JSON. */
  async readResult(): Promise<Json | undefined> {
    const text = await readPlainFile(this.result);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as Json);
    } catch {
      return undefined;
    }
  }

  async readLastMessage(): Promise<string | undefined> {
    return (await readPlainFile(this.lastMessage))?.trim() || undefined;
  }
}

/** Undefined unless it is a plain file of a moderate size (SF1). */
async function readPlainFile(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    return stat.isFile() && stat.size <= FILE_BYTES_MAX ? await file.readFile("utf8") : undefined;
  } catch {
    return undefined;
  }
}
