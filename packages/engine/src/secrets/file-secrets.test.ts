import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileSecrets } from "./file-secrets.ts";
import type { SecretSource } from "./source.ts";

/** Node.js itself cannot create a named pipe. */
const MAKE_PIPE = "mkfifo";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "segno-secrets-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Uint8Array, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content, { mode });
  return path;
}

async function got(source: SecretSource, ...names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await source.get(names));
}

describe("a file of secrets", () => {
  it("DATA-9 has a line for each, and is told from which file one is missing", async () => {
    const path = await file("plain.env", "A=hunter22\nB='two'\n");
    const source = fileSecrets(path);
    expect(await got(source, "A", "C")).toEqual({ A: "hunter22" });
    expect(source.where("C")).toBe(`\`${path}\``);
  });

  it("F1 is read again when it has changed, also when neither size nor time of change did", async () => {
    const path = await file("changed.env", "A=hunter22");
    const source = fileSecrets(path);
    expect(await got(source, "A")).toEqual({ A: "hunter22" });
    await writeFile(path, "A=hunter23\n");
    expect(await got(source, "A")).toEqual({ A: "hunter23" });
    const other = await file("other.env", "A=hunter24\n");
    const when = new Date(1_700_000_000_000);
    await utimes(path, when, when);
    await got(source, "A");
    await utimes(other, when, when);
    await rename(other, path);
    expect(await got(source, "A")).toEqual({ A: "hunter24" });
  });

  it("DATA-9 is warned about once when others than its owner can read it", async () => {
    const warnings: string[] = [];
    const warn = (message: string): unknown => warnings.push(message);
    const shared = await file("shared.env", "A=hunter22", 0o644);
    const source = fileSecrets(shared, { warn });
    await got(source, "A");
    await got(source, "A");
    await got(fileSecrets(await file("private.env", "A=hunter22"), { warn }), "A");
    expect(warnings).toEqual([`users other than its owner can read \`${shared}\`; \`chmod 600\` makes it private`]);
  });
});

describe("a folder of secrets", () => {
  it("DATA-9 has a file for each, of which the line break at its end does not count", async () => {
    const path = join(folder, "mounted");
    await mkdir(join(path, "..data"), { recursive: true });
    await writeFile(join(path, "..data", "token"), "hunter22\n");
    await symlink(join("..data", "token"), join(path, "token"));
    await writeFile(join(path, "two"), " two\nlines\r\n");
    await writeFile(join(path, "blank"), "\n");
    await writeFile(join(path, "key.pem"), "a\n\n");
    const source = fileSecrets(path);
    expect(await got(source, "token", "two", "blank", "key.pem", "missing")).toEqual({
      token: "hunter22",
      two: " two\nlines",
      "key.pem": "a\n",
    });
    await writeFile(join(path, "..data", "token"), "hunter23");
    expect(await got(source, "token")).toEqual({ token: "hunter23" });
  });

  it("F3 is not left by any name", async () => {
    await file("outside", "hunter22");
    await mkdir(join(folder, "inner"), { recursive: true });
    await writeFile(join(folder, "inner", ".hidden"), "hunter22");
    const names = ["../outside", "..", ".", "", "/etc/passwd", ".hidden", "..\\outside", "a\0b", "outside/x"];
    expect(await got(fileSecrets(join(folder, "inner")), ...names)).toEqual({});
  });

  it("SECRET_INVALID is refused with what is not a file of text", async () => {
    const path = join(folder, "odd");
    await mkdir(join(path, "nested"), { recursive: true });
    await writeFile(join(path, "binary"), new Uint8Array([0xff, 0xfe, 0x00]));
    for (const name of ["nested", "binary"])
      await expect(got(fileSecrets(path), name)).rejects.toMatchObject({ code: "SECRET_INVALID" });
  });
});

describe("what is not a file of secrets", () => {
  it("SECRET_INVALID is refused: binary, half characters, too large, a line that is none", async () => {
    const huge = await file("huge.env", "A=hunter22\n");
    await truncate(huge, 5_000_000_000);
    const paths = [
      huge,
      await file("large.env", `A=hunter22\n#${"x".repeat(1_048_576)}\n`),
      await file("nul.env", "A=hunter\0\n"),
      await file("binary.env", new Uint8Array([65, 61, 0xc3, 0x28])),
      await file("wrong.env", "A=1\nhunter22\n"),
      await file("prototype.env", "__proto__=hunter22\n"),
    ];
    for (const path of paths) {
      const error: unknown = await got(fileSecrets(path), "A").catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "SECRET_INVALID", message: expect.stringContaining(path) as string });
      expect((error as Error).message).not.toContain("hunter");
    }
  });

  it.skipIf(process.platform === "win32")(
    "SECRET_INVALID is refused: a pipe that nobody writes to, and a device",
    async () => {
      const pipe = join(folder, "pipe");
      execFileSync(MAKE_PIPE, [pipe]);
      for (const path of [pipe, "/dev/zero"])
        await expect(got(fileSecrets(path), "A")).rejects.toMatchObject({ code: "SECRET_INVALID" });
    },
  );

  it("SECRET_UNAVAILABLE cannot be read: it is not there", async () => {
    const path = join(folder, "missing.env");
    await expect(got(fileSecrets(path), "A")).rejects.toMatchObject({
      code: "SECRET_UNAVAILABLE",
      message: `\`${path}\` cannot be read (ENOENT)`,
    });
  });

  it("F2 is read once it has been corrected", async () => {
    const path = await file("corrected.env", "wrong");
    const source = fileSecrets(path);
    await expect(got(source, "A")).rejects.toMatchObject({ code: "SECRET_INVALID" });
    await expect(got(source, "A")).rejects.toMatchObject({ code: "SECRET_INVALID" });
    await writeFile(path, "A=hunter22");
    expect(await got(source, "A")).toEqual({ A: "hunter22" });
  });
});
