// Checks the disk of the journal: free space, and whether SQLite can rely on the file system.

import { ok, problem, warning, type DoctorFinding } from "./finding.ts";

const MIB = 1024 * 1024;
const FREE_LEAST = 64 * MIB;
const FREE_ENOUGH = 1024 * MIB;

export function checkSpace(freeBytes: number): DoctorFinding {
  const free =
    freeBytes < 10 * 1024 * MIB ? `${Math.floor(freeBytes / MIB)} MiB` : `${Math.floor(freeBytes / MIB / 1024)} GiB`;
  const text = `${free} free on the disk of the journal`;
  if (freeBytes >= FREE_ENOUGH) return ok("disk", text);
  const remedy =
    "free some space, or move the journal with --db; a full disk stops all executions until there is space";
  return freeBytes < FREE_LEAST ? problem("disk", text, remedy) : warning("disk", text, remedy);
}

/** Types of network file systems. */
const NETWORK =
  /^(?:nfs\d?|cifs|smb\w*|9p|afs|ceph|lustre|gpfs|beegfs|ocfs2|gfs2|davfs|glusterfs|fuse\.(?:sshfs|rclone|s3fs|glusterfs|ceph|gcsfuse|goofys|davfs2?|juicefs))$/u;

/** `mounts` is the text of `/proc/self/mounts`, if it exists; `path` contains no links. */
export function checkFileSystem(mounts: string | undefined, path: string): DoctorFinding {
  if (mounts === undefined) return ok("file-system", "the type is unknown here; it must be a local file system");
  const kind = fileSystemType(mounts, path);
  if (kind === undefined) return ok("file-system", "the type is unknown; it must be a local file system");
  if (!NETWORK.test(kind)) return ok("file-system", `${kind}, local`);
  const text = `the journal is on a network file system (${kind}), where the locks and the shared memory of SQLite are unreliable`;
  return warning("file-system", text, "keep the journal on a local disk, with --db");
}

/** The mount that is nearest above the path; the last one if several have the same mount point. */
function fileSystemType(mounts: string, path: string): string | undefined {
  let nearest = { length: 0, kind: undefined as string | undefined };
  for (const line of mounts.split("\n")) {
    const [, place, kind] = line.split(" ");
    if (place === undefined) continue;
    const folder = unescapeMount(place);
    const isAbove = folder === "/" || path === folder || path.startsWith(`${folder}/`);
    if (isAbove && folder.length >= nearest.length) nearest = { length: folder.length, kind };
  }
  return nearest.kind;
}

/** The file writes spaces and similar characters as octal numbers. */
function unescapeMount(place: string): string {
  return place.replaceAll(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
