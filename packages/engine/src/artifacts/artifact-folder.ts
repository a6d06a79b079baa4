// The folder of artifacts beside a store: the files that steps have kept, by execution and content hash (DATA-13).
//
//   AF1. A file is written under a temporary name, synced and renamed, and then its folder is synced; only then does the journal
//        mention it. So a crash leaves at most files that no journal mentions.
//   AF2. The files of an execution have a folder of their own. It is removed with the execution, so nothing has to be counted. A file
//        that two executions keep is stored twice.
//   AF3. Copies for a step and temporary files are in `tmp`, in a folder for each engine, which is removed when the engine closes.
//        The next owner removes the files that a killed engine left there.
//   AF4. A stored file is compared with its hash whenever it is copied.
//   AF5. The folder, `tmp` and the folders of executions are plain folders of this user. A link in their place, which a repository may
//        contain, would lead writing and removing elsewhere.
//   AF6. The id of an execution is whole in its folder before the first file is kept. A folder without it, but with files, is not removed.
//   AF7. A link or a FIFO in the place of a stored file is damage: neither is opened, and no more is read than the file should have.

import { createHash, randomUUID } from "node:crypto";
import { createWriteStream, type ReadStream } from "node:fs";
import { lstat, mkdir, mkdtemp, open, opendir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, normalize, resolve, sep } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Artifact } from "@segno/kernel";
import { ArtifactError } from "./artifact-error.ts";
import { openPlainFile, readPlainText } from "./plain-file.ts";

const TEMPORARY = "tmp";
/** The file in the folder of an execution that has its id. */
const ID_FILE = "execution";
/** Far above the longest id. */
const ID_BYTES_MAX = 4096;
const READ_ONLY = 0o444;

export class ArtifactFolder {
  /** Undefined until the first use of an engine without a file. */
  #root: string | undefined;
  readonly #isTemporary: boolean;
  readonly #own = randomUUID();
  #hasCopies = false;

  /** Without a path, the files are in a folder of the system for temporary files, for as long as the engine is open. */
  constructor(root: string | undefined) {
    this.#root = root;
    this.#isTemporary = root === undefined;
  }

  /** Keeps one file. `maxBytes` limits its size while it is read, because it may grow. */
  async keep(execution: string, file: string, path: string, maxBytes: number): Promise<Artifact> {
    const folder = await this.#executionFolder(execution);
    const partial = join(folder, `.${randomUUID()}`);
    try {
      const { hash, bytes } = await copyHashed(await openGiven(file, path), partial, maxBytes, () => tooLarge(path));
      await rename(partial, join(folder, hash));
      await syncFolder(folder);
      return { path, hash, bytes };
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Copies a stored file to a path that does not exist yet, and checks its content (AF4). */
  async copy(execution: string, { path, hash, bytes }: Artifact, to: string): Promise<void> {
    const source = await openStored(join(await this.#find(execution), hash), path);
    const target = resolve(to);
    const partial = `${target}.${randomUUID()}.partial`;
    try {
      const copied = await copyHashed(source, partial, bytes, () => damaged(path, "has changed"));
      if (copied.hash !== hash || copied.bytes !== bytes) throw damaged(path, "has changed");
      await rename(partial, target);
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Describes the damage of a stored file; undefined if it has none. */
  async problem(execution: string, { hash, bytes }: Artifact): Promise<string | undefined> {
    const file = join(await this.#find(execution), hash);
    try {
      const handle = await openPlainFile(file);
      if (handle === undefined) return "is not a file";
      await using source = handle.createReadStream({ end: bytes });
      const { size } = await handle.stat();
      if (size !== bytes) return `has ${size} bytes, not ${bytes}`;
      const found = createHash("sha256");
      await pipeline(source, found);
      return found.digest("hex") === hash ? undefined : "has changed";
    } catch (error) {
      if (isMissing(error)) return "does not exist";
      throw error;
    }
  }

  /** A new empty folder for the files that one attempt gets. */
  async newCopyFolder(): Promise<string> {
    const temporary = join(await this.#base(), TEMPORARY);
    await makeFolder(dirname(temporary));
    await makeFolder(temporary);
    const folder = join(temporary, this.#own, randomUUID());
    this.#hasCopies = true;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async remove(execution: string): Promise<void> {
    if (this.#root !== undefined && (await isPlainFolder(this.#root)))
      await rm(join(this.#root, folderName(execution)), { recursive: true, force: true });
  }

  /** Removes the files of executions that do not exist any more, and what killed engines left. Only the owner does this. */
  async sweep(exists: (execution: string) => Promise<boolean>): Promise<void> {
    if (this.#root === undefined || this.#isTemporary || !(await isPlainFolder(this.#root))) return;
    for (const name of await folderNames(this.#root)) {
      const folder = join(this.#root, name);
      if (name === TEMPORARY) await this.#sweepTemporary(folder);
      else if (/^[0-9a-f]{32}$/u.test(name) && !(await this.#isKnown(folder, exists)))
        await rm(folder, { recursive: true, force: true });
    }
  }

  async #sweepTemporary(folder: string): Promise<void> {
    if (!(await isPlainFolder(folder))) return;
    for (const name of await folderNames(folder))
      if (name !== this.#own) await rm(join(folder, name), { recursive: true, force: true });
  }

  /** AF6. */
  async #isKnown(folder: string, exists: (execution: string) => Promise<boolean>): Promise<boolean> {
    const id = await readId(folder);
    if (id !== undefined) return await exists(id);
    return (await readdir(folder)).some((name) => /^[0-9a-f]{64}$/u.test(name));
  }

  /** Never fails: the next owner removes what is left. */
  async close(): Promise<void> {
    if (this.#root === undefined) return;
    const own = this.#isTemporary ? this.#root : join(this.#root, TEMPORARY, this.#own);
    if (this.#isTemporary || this.#hasCopies) await rm(own, { recursive: true, force: true }).catch(() => undefined);
  }

  async #executionFolder(execution: string): Promise<string> {
    const folder = await this.#find(execution);
    await makeFolder(dirname(folder));
    await makeFolder(folder);
    if ((await readId(folder)) === execution) return folder;
    const partial = join(folder, `.${randomUUID()}`);
    try {
      await writeFile(partial, execution, { flag: "wx", flush: true });
      await rename(partial, join(folder, ID_FILE));
    } finally {
      await rm(partial, { force: true });
    }
    return folder;
  }

  async #find(execution: string): Promise<string> {
    return join(await this.#base(), folderName(execution));
  }

  async #base(): Promise<string> {
    return (this.#root ??= await mkdtemp(join(tmpdir(), "segno-artifacts-")));
  }
}

/** Makes a folder unless there is one (AF5). */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (await isPlainFolder(folder)) return;
  throw new ArtifactError(
    "ARTIFACT_REFUSED",
    `${folder} is a link or belongs to another user, so no artifacts are kept there; remove it`,
  );
}

/** False for a link and for a folder of another user, also if there is nothing. */
async function isPlainFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** The id of the execution whose folder it is; undefined if it is missing or not whole. */
async function readId(folder: string): Promise<string | undefined> {
  try {
    const id = await readPlainText(join(folder, ID_FILE), ID_BYTES_MAX);
    return id !== undefined && folderName(id) === basename(folder) ? id : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The folder beside a store: `artifacts` beside `segno.db`, and a name of its own beside any other file. */
export function artifactFolderOf(file: string): string {
  const name = file.slice(dirname(file).length + 1);
  return join(dirname(file), name === "segno.db" ? "artifacts" : `${name}-artifacts`);
}

/** The path below a folder. A path that leads outside is refused: a journal may come from elsewhere. */
export function pathInside(folder: string, path: string): string {
  const target = resolve(folder, normalize(path));
  if (!target.startsWith(folder + sep))
    throw new ArtifactError("ARTIFACT_REFUSED", `the path of the artifact ${JSON.stringify(path)} leads outside`);
  return target;
}

/** An id can be any text, so the name is made from its hash. */
function folderName(execution: string): string {
  return createHash("sha256").update(execution).digest("hex").slice(0, 32);
}

/** It may have become a link or a FIFO after it was found. */
async function openGiven(file: string, path: string): Promise<ReadStream> {
  const handle = await openPlainFile(file);
  if (handle !== undefined) return handle.createReadStream();
  throw new ArtifactError("ARTIFACT_REFUSED", `the artifact ${JSON.stringify(path)} is not a file any more`);
}

/** A missing file is told from a folder that cannot be written. */
async function openStored(file: string, path: string): Promise<ReadStream> {
  const handle = await openPlainFile(file).catch((error: unknown) => {
    throw isMissing(error) ? damaged(path, "does not exist any more") : error;
  });
  if (handle === undefined) throw damaged(path, "is not a file");
  return handle.createReadStream();
}

/** Copies a file, and measures and hashes what is copied. The copy is synced and read-only. */
async function copyHashed(
  source: ReadStream,
  to: string,
  maxBytes: number,
  onTooLarge: () => Error,
): Promise<{ readonly hash: string; readonly bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) done(onTooLarge());
      else done(null, chunk);
    },
  });
  await pipeline(source, meter, createWriteStream(to, { flags: "wx", mode: READ_ONLY, flush: true }));
  return { hash: hash.digest("hex"), bytes };
}

export function tooLarge(path: string): ArtifactError {
  return new ArtifactError(
    "ARTIFACT_TOO_LARGE",
    `the artifacts of the step have more bytes than allowed; the limit was reached at \`${path}\``,
  );
}

function damaged(path: string, what: string): ArtifactError {
  return new ArtifactError("ARTIFACT_DAMAGED", `the stored artifact \`${path}\` ${what}`);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function folderNames(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) if (entry.isDirectory()) names.push(entry.name);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return names;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === "ENOENT";
}
