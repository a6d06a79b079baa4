import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { SampleGitHub } from "./sample-github.ts";
import { TOKEN } from "./sample-forge.ts";

const BASIC = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");

/** Puts a program called `git` before the real one that writes down its arguments. */
function recordArguments(folder: string): { readonly file: string } & Disposable {
  mkdirSync(folder);
  const file = join(folder, "arguments");
  const path = process.env["PATH"] ?? "";
  writeFileSync(join(folder, "git"), `#!/bin/sh\necho "$@" >>'${file}'\nPATH='${path}' exec git "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path}`;
  return {
    file,
    [Symbol.dispose]: () => {
      process.env["PATH"] = path;
    },
  };
}

describe("the token of a push", () => {
  it("DATA-9 is sent, and is in no argument, address or configuration", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, remote } = github;
    using recorded = recordArguments(join(sample.root, "bin"));
    const commit = sample.git("rev-parse", "main") as ReturnType<typeof sample.commit>;
    await remote.push("task/x-a", commit);
    expect(forge.repository.head("task/x-a")).toBe(commit);
    expect(new Set(forge.authorizations)).toEqual(new Set([`Basic ${BASIC}`]));
    const text = readFileSync(recorded.file, "utf8");
    expect(text).toContain(`push --porcelain --no-verify ${remote.url}`);
    for (const secret of [TOKEN, BASIC]) {
      expect(text).not.toContain(secret);
      expect(readFileSync(join(sample.folder, ".git", "config"), "utf8")).not.toContain(secret);
    }
  });

  it("CODE-11 is not sent to an address that an agent wrote into the configuration, and no planted program runs", async () => {
    await using github = await SampleGitHub.start();
    const { forge, sample, remote } = github;
    const evil = join(sample.root, "evil.git");
    sample.git("init", "--quiet", "--bare", evil);
    sample.git("config", `url.${evil}.insteadOf`, remote.url);
    sample.git("config", `url.${evil}.pushInsteadOf`, remote.url);
    sample.git("config", "http.proxy", "http://127.0.0.1:9");
    sample.git("config", "credential.helper", `!${sample.canary("helper")}`);
    sample.write({ ".git/hooks/pre-push": `#!/bin/sh\n${sample.canary("pre-push")}\n` });
    chmodSync(join(sample.folder, ".git", "hooks", "pre-push"), 0o755);
    expect(sample.git("ls-remote", "--get-url", remote.url)).toBe(evil);
    const commit = sample.git("rev-parse", "main") as ReturnType<typeof sample.commit>;
    await remote.push("task/x-a", commit);
    expect(forge.repository.head("task/x-a")).toBe(commit);
    expect(sample.gitIn(evil, "for-each-ref")).toBe("");
    expect(sample.canariesRun).toEqual([]);
  });
});
