// Records of workspaces, so that a process that starts later knows them (WS2). A record is a file beside the workspaces, in a
// folder whose name is not an id.

import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isRealFolder } from "../git/agent-folder.ts";
import { CodeError } from "../errors/code-error.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { readPlainFile } from "../git/plain-file.ts";

export interface WorkspaceRecord {
  readonly branch: string;
  readonly base: Oid;
  /** The commit whose files the workspace got last, or which was made of them. */
  readonly since: Oid;
  /** Missing while the workspace is being created. */
  readonly gitDir?: string | undefined;
  /** The folder is being removed; all of its contents are kept elsewhere. */
  readonly isRemoved?: true | undefined;
}

const oid: z.ZodType<Oid> = z.custom<Oid>((value) => typeof value === "string" && isOid(value));

const recordSchema: z.ZodType<WorkspaceRecord> = z.strictObject({
  branch: z.string(),
  base: oid,
  since: oid,
  gitDir: z.string().optional(),
  isRemoved: z.literal(true).optional(),
});

export async function readRecord(executionFolder: string, task: string): Promise<WorkspaceRecord | undefined> {
  const folder = await recordFolder(executionFolder);
  const file = join(folder, `${task}.json`);
  if ((await lstat(file).catch(() => undefined)) === undefined) return undefined;
  const text = (await readPlainFile(file)) ?? "";
  const parsed = recordSchema.safeParse(parseJson(text));
  if (!parsed.success)
    throw new CodeError("WORKSPACE_TAMPERED", `${join(folder, task)}.json is not the record of a workspace`);
  return parsed.data;
}

/** Replaces the file: it may be a link. A process that was killed while it wrote may have left the new file. */
export async function writeRecord(executionFolder: string, task: string, record: WorkspaceRecord): Promise<void> {
  const folder = await recordFolder(executionFolder);
  const written = join(folder, `${task}.new`);
  await rm(written, { force: true });
  await writeFile(written, JSON.stringify(record), { flag: "wx" });
  await rename(written, join(folder, `${task}.json`));
}

export async function deleteRecord(executionFolder: string, task: string): Promise<void> {
  const folder = await recordFolder(executionFolder);
  for (const file of [`${task}.new`, `${task}.json`]) await rm(join(folder, file), { force: true });
}

async function recordFolder(executionFolder: string): Promise<string> {
  const folder = join(executionFolder, ".records");
  await mkdir(folder, { recursive: true });
  if (!(await isRealFolder(folder)))
    throw new CodeError("WORKSPACE_ROOT_UNSAFE", `${folder} must be a folder, and is a link or a file`);
  return folder;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
