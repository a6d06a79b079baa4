// The checks of `segno doctor`, each with given facts.

import { describe, expect, it } from "vitest";

import { checkClock, checkTimeZone } from "./clock.ts";
import { checkFileSystem, checkSpace } from "./disk.ts";
import { checkGit, checkNode, checkProcesses, checkShell } from "./platform.ts";
import { checkTerminal, checkVariables } from "./surroundings.ts";

const MIB = 1024 * 1024;
const NOW = Date.parse("2026-11-16T12:00:00Z");

describe("the platform", () => {
  it.each([
    ["24.0.0", "ok"],
    ["25.1.0", "ok"],
    ["22.12.0", "problem"],
    ["9.0.0", "problem"],
  ])("Node.js %s is %s", (version, verdict) => {
    expect(checkNode(version).verdict).toBe(verdict);
  });

  it.each([
    ["git version 2.38.0\n", "ok"],
    ["git version 3.0.0", "ok"],
    ["git version 2.39.5 (Apple Git-154)", "ok"],
    ["git version 2.37.9", "warning"],
    ["git version 1.99.0", "warning"],
    ["not a version", "warning"],
    [undefined, "warning"],
  ])("%j is %s", (said, verdict) => {
    expect(checkGit(said).verdict).toBe(verdict);
  });

  it("a shell that is missing, or is none, is a problem", () => {
    expect(checkShell("/missing/sh")).toMatchObject({ verdict: "problem", text: expect.stringContaining("ENOENT") });
    expect(checkShell("false")).toMatchObject({ verdict: "problem", text: expect.stringContaining("ended with 1") });
  });

  it.runIf(process.platform === "linux")("a missing /proc is a warning on Linux", () => {
    expect(checkProcesses("/missing").verdict).toBe("warning");
    expect(checkProcesses().verdict).toBe("ok");
  });
});

describe("the clock", () => {
  it.each([
    [NOW, undefined, "ok"],
    [NOW, NOW + 1000, "ok"],
    [NOW, NOW + 3_600_000, "warning"],
    [0, undefined, "problem"],
    [Date.parse("2200-01-01T00:00:00Z"), undefined, "problem"],
  ])("%i with a journal of %s is %s", (now, writtenAt, verdict) => {
    expect(checkClock(now, writtenAt).verdict).toBe(verdict);
  });

  it.each([
    [undefined, "Europe/Rome", "ok"],
    ["Europe/Rome", "Europe/Rome", "ok"],
    ["Middle/Earth", "UTC", "warning"],
    [undefined, undefined, "warning"],
  ])("TZ=%s with %s in use is %s", (asked, used, verdict) => {
    expect(checkTimeZone(asked, used).verdict).toBe(verdict);
  });
});

describe("the disk", () => {
  it.each([
    [20 * 1024 * MIB, "ok"],
    [1024 * MIB, "ok"],
    [500 * MIB, "warning"],
    [10 * MIB, "problem"],
  ])("%i bytes free is %s", (free, verdict) => {
    expect(checkSpace(free).verdict).toBe(verdict);
  });

  const MOUNTS = [
    "/dev/sda1 / ext4 rw 0 0",
    "server:/all /data nfs4 rw 0 0",
    "/dev/sdb1 /data/ada/local xfs rw 0 0",
    "//host/share /mnt/my\\040share cifs rw 0 0",
    "me@far: /mnt/far fuse.sshfs rw 0 0",
    "tmpfs /over tmpfs rw 0 0",
    "server:/x /over nfs rw 0 0",
    "",
  ].join("\n");

  it.each([
    ["/var/lib", "ok", "ext4"],
    ["/database", "ok", "ext4"],
    ["/data/ada", "warning", "nfs4"],
    ["/data/ada/local/x", "ok", "xfs"],
    ["/mnt/my share/x", "warning", "cifs"],
    ["/mnt/far", "warning", "fuse.sshfs"],
    ["/over", "warning", "nfs"],
  ])("%s is %s: the nearest and last mount above it says %s", (path, verdict, kind) => {
    const finding = checkFileSystem(MOUNTS, path);
    expect([finding.verdict, finding.text]).toEqual([verdict, expect.stringContaining(kind)]);
  });

  it("what cannot be told is said to be so", () => {
    expect(checkFileSystem(undefined, "/x").text).toContain("unknown");
    expect(checkFileSystem("", "/x").text).toContain("unknown");
  });
});

describe("the surroundings", () => {
  const wide = { isTerminal: true, columns: 100, colors: 256, isInColor: true };

  it.each([
    ["a pipe", { ...wide, isTerminal: false }, {}, "ok", "not a terminal"],
    ["a window", wide, { LANG: "C.UTF-8" }, "ok", "100 columns wide, 256 colours; progress is drawn live"],
    ["a build", wide, { CI: "true" }, "ok", "plain lines"],
    ["a narrow window", { ...wide, columns: 30 }, {}, "warning", "30 columns"],
    ["an old locale", wide, { LC_ALL: "POSIX", LANG: "C.UTF-8" }, "warning", "may not be displayed"],
    ["no size", { ...wide, columns: 0, isInColor: false }, {}, "ok", "unknown width, without colours"],
  ] as const)("%s is told", (_, facts, variables, verdict, text) => {
    const finding = checkTerminal(facts, variables);
    expect([finding.verdict, finding.text]).toEqual([verdict, expect.stringContaining(text)]);
  });

  it("variables are named and never shown", () => {
    expect(checkVariables({ NO_COLOR: "", HOME: "/x" }).text).toBe("none is set");
    const { text } = checkVariables({ NO_COLOR: "1", NODE_OPTIONS: "--secret=hunter2" });
    expect(text).toMatch(/^NO_COLOR is set \(no colours\), NODE_OPTIONS is set /u);
    expect(text).not.toContain("hunter2");
  });
});
