// What every kind of workspace promises.

import { describe, expect, it } from "vitest";
import type { CommitOutcome, Workspace, Workspaces } from "../../src/workspaces/workspaces.ts";

/** A kind of workspace on a repository whose `main` has `a.txt` with `one`, and how a test looks into it. */
export interface WorkspacesSubject extends AsyncDisposable {
  readonly workspaces: Workspaces;
  /** The head of `main`. */
  readonly base: string;
  /** The same workspaces as a process sees them that starts later. */
  reopen(): Promise<Workspaces>;
  write(workspaceId: string, path: string, text: string): Promise<void>;
  remove(workspaceId: string, path: string): Promise<void>;
  read(workspaceId: string, path: string): Promise<string | undefined>;
  /** Makes the workspace one that must not be trusted. */
  tamper(workspaceId: string): Promise<void>;
  head(branch: string): string | undefined;
  fileAt(commit: string, path: string): string | undefined;
  parents(commit: string): readonly string[];
  /** Adds a commit with changed files that is on no branch. */
  commit(parent: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** The commits under `refs/segno/x/kept`. */
  kept(): readonly string[];
}

const ID = "x/t";
const BRANCH = "task/x-t";

function create({ workspaces, base }: WorkspacesSubject, workspaceId = ID): Promise<Workspace> {
  return workspaces.createWorkspace({ workspaceId, branch: BRANCH, base });
}

function commit({ workspaces, base }: WorkspacesSubject): Promise<CommitOutcome> {
  return workspaces.commitChanges(ID, { since: base, message: "work\n\nTask: t\n", atMs: 1000 });
}

async function committed(subject: WorkspacesSubject): Promise<string> {
  const outcome = await commit(subject);
  if (outcome.kind !== "committed") throw new Error(`the outcome is ${outcome.kind}`);
  return outcome.commit;
}

export function describeWorkspaces(name: string, open: () => Promise<WorkspacesSubject>): void {
  describe(`a workspace (${name})`, () => describeLife(open));
  describe(`changes in a workspace (${name})`, () => describeCommits(open));
  describe(`changes in a workspace (${name})`, () => describeFixes(open));
  describe(`unlanded work (${name})`, () => describeKeeping(open));
}

function describeLife(open: () => Promise<WorkspacesSubject>): void {
  it("CODE-3 begins with the files of its base, on a branch of its own", async () => {
    await using subject = await open();
    const { workspaces, base } = subject;
    const workspace = await create(subject);
    expect(workspace).toMatchObject({ workspaceId: ID, branch: BRANCH, base });
    expect(await subject.read(ID, "a.txt")).toBe("one\n");
    expect(await workspaces.getWorkspacePath(ID)).toBe(workspace.path);
    expect(`${await workspaces.getWorkspaceFolder?.("x")}/t`).toBe(workspace.path);
    const status = { kind: "present", path: workspace.path, branch: BRANCH, head: base };
    expect(await workspaces.getWorkspaceStatus(ID)).toEqual(status);
    expect(subject.head(BRANCH)).toBe(base);
  });

  it("CODE-3 that was never made is missing", async () => {
    await using subject = await open();
    const { workspaces } = subject;
    expect(await workspaces.getWorkspacePath("x/none")).toBeUndefined();
    expect(await workspaces.getWorkspaceStatus("x/none")).toEqual({ kind: "missing" });
    await workspaces.destroyWorkspace("x/none");
    await expect(workspaces.checkoutCommit("x/none", subject.base)).rejects.toMatchObject({
      code: "WORKSPACE_MISSING",
    });
  });

  it.each(["../t", "x/../t", "x", "x/t/u", "X/t", "x/$(id)", "/t", "x/"])(
    "CODE-11 is refused with the id %j",
    async (workspaceId) => {
      await using subject = await open();
      await expect(create(subject, workspaceId)).rejects.toMatchObject({ code: "TASK_ID_INVALID" });
    },
  );

  it("CODE-10 is used again by a process that starts later", async () => {
    await using subject = await open();
    const { path } = await create(subject);
    await subject.write(ID, "b.txt", "new\n");
    const later = { ...subject, workspaces: await subject.reopen() };
    expect(await later.workspaces.getWorkspaceStatus(ID)).toMatchObject({ kind: "present", path, branch: BRANCH });
    expect(subject.fileAt(await committed(later), "b.txt")).toBe("new\n");
    await later.workspaces.destroyWorkspace(ID);
    expect(await later.workspaces.getWorkspaceStatus(ID)).toEqual({ kind: "missing" });
  });

  it("CODE-7 takes the files of another commit, for a fix or a check", async () => {
    await using subject = await open();
    await create(subject);
    const other = await subject.commit(subject.base, { "a.txt": "two\n", "b.txt": "b\n" });
    await subject.workspaces.checkoutCommit(ID, other);
    expect([await subject.read(ID, "a.txt"), await subject.read(ID, "b.txt")]).toEqual(["two\n", "b\n"]);
    await subject.workspaces.checkoutCommit(ID, subject.base);
    expect([await subject.read(ID, "a.txt"), await subject.read(ID, "b.txt")]).toEqual(["one\n", undefined]);
    expect(subject.kept()).toEqual([]);
  });

  it("CODE-9 is gone when it is destroyed, and its branch stays", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "new\n");
    const head = await committed(subject);
    await subject.workspaces.destroyWorkspace(ID);
    await subject.workspaces.destroyWorkspace(ID);
    expect(await subject.workspaces.getWorkspaceStatus(ID)).toEqual({ kind: "missing" });
    expect(subject.head(BRANCH)).toBe(head);
    expect(subject.kept()).toEqual([]);
  });
}

function describeCommits(open: () => Promise<WorkspacesSubject>): void {
  it("CODE-4 become one commit on its branch", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "a.txt", "two\n");
    await subject.write(ID, "deep/b.txt", "new\n");
    const outcome = await commit(subject);
    if (outcome.kind !== "committed") throw new Error(outcome.kind);
    expect(outcome.changedFiles).toEqual(["a.txt", "deep/b.txt"]);
    expect(subject.head(BRANCH)).toBe(outcome.commit);
    expect(subject.parents(outcome.commit)).toEqual([subject.base]);
    expect(subject.fileAt(outcome.commit, "a.txt")).toBe("two\n");
  });

  it("CODE-4 may be deletions", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "b\n");
    await subject.remove(ID, "a.txt");
    const head = await committed(subject);
    expect([subject.fileAt(head, "a.txt"), subject.fileAt(head, "b.txt")]).toEqual([undefined, "b\n"]);
  });

  it("CODE-10 give the same commit when they are committed again", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "new\n");
    const first = await commit(subject);
    expect(await commit(subject)).toEqual(first);
    expect(subject.kept()).toEqual([]);
  });

  it("CODE-4 are none if no file differs", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "a.txt", "one\n");
    expect(await commit(subject)).toEqual({ kind: "unchanged" });
    expect(subject.head(BRANCH)).toBe(subject.base);
  });

  it("CODE-11 are not committed from a workspace that was tampered with", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "new\n");
    await subject.tamper(ID);
    expect(await commit(subject)).toMatchObject({ kind: "tampered" });
    expect(await subject.workspaces.getWorkspaceStatus(ID)).toMatchObject({ kind: "tampered" });
    expect(subject.head(BRANCH)).toBe(subject.base);
  });
}

function describeFixes(open: () => Promise<WorkspacesSubject>): void {
  it("CODE-7 of a fix have both sides of the conflict as parents", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "a.txt", "mine\n");
    const mine = await committed(subject);
    const theirs = await subject.commit(subject.base, { "a.txt": "theirs\n" });
    const since = await subject.commit(mine, { "a.txt": "<<<<<<< a\nmine\n=======\ntheirs\n>>>>>>> b\n" });
    await subject.workspaces.checkoutCommit(ID, since);
    const request = { since, parents: [mine, theirs], message: "fix", atMs: 2000, conflictedPaths: ["a.txt"] };
    await subject.write(ID, "b.txt", "not yet\n");
    expect(await subject.workspaces.commitChanges(ID, request)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("a.txt") as string,
    });
    expect(subject.head(BRANCH)).toBe(mine);
    await subject.write(ID, "a.txt", "both\n");
    const outcome = await subject.workspaces.commitChanges(ID, request);
    if (outcome.kind !== "committed") throw new Error(outcome.kind);
    expect(subject.parents(outcome.commit)).toEqual([mine, theirs]);
    expect(subject.head(BRANCH)).toBe(outcome.commit);
    expect(subject.kept()).toEqual([]);
  });
}

function describeKeeping(open: () => Promise<WorkspacesSubject>): void {
  it("CODE-9 is kept under a ref when the workspace is destroyed", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "unlanded\n");
    await subject.workspaces.destroyWorkspace(ID);
    expect(subject.kept().map((kept) => subject.fileAt(kept, "b.txt"))).toEqual(["unlanded\n"]);
  });

  it("CODE-9 is kept under a ref of its own for each attempt", async () => {
    await using subject = await open();
    for (const text of ["first\n", "second\n"]) {
      await create(subject);
      expect(await subject.read(ID, "b.txt")).toBeUndefined();
      await subject.write(ID, "b.txt", text);
    }
    await create(subject);
    expect(subject.kept().map((kept) => subject.fileAt(kept, "b.txt"))).toEqual(["first\n", "second\n"]);
  });

  it("CODE-9 on a branch is kept when the branch begins again at its base", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "committed\n");
    const head = await committed(subject);
    await create(subject);
    expect(subject.head(BRANCH)).toBe(subject.base);
    expect(subject.kept()).toEqual([head]);
  });

  it("CODE-9 is kept when the files become those of another commit", async () => {
    await using subject = await open();
    await create(subject);
    await subject.write(ID, "b.txt", "unlanded\n");
    await subject.workspaces.checkoutCommit(ID, subject.base);
    expect(await subject.read(ID, "b.txt")).toBeUndefined();
    expect(subject.kept().map((kept) => subject.fileAt(kept, "b.txt"))).toEqual(["unlanded\n"]);
  });
}
