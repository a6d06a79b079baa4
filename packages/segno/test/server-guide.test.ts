// The guide of the server is true: its files are written, its commands run in order against a real server, and they print what it
// shows. `…` in the guide stands for any text. The server has a free port in place of the one in the guide.

import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { fencedBlocks } from "../../../tidy/markdown.ts";
import { CommandFixture } from "./command-fixture.ts";
import { COMMAND, RunningSegno } from "./run-segno.ts";

const GUIDE = new URL("../../../docs/guides/server.md", import.meta.url);
const GUIDE_PORT = "4280";

class GuideReader implements AsyncDisposable {
  readonly #shop: CommandFixture;
  #server: RunningSegno | undefined;
  #port = GUIDE_PORT;

  private constructor(shop: CommandFixture) {
    this.#shop = shop;
  }

  /** In an empty folder, with a command `npx` that starts this checkout. */
  static async open(): Promise<GuideReader> {
    const shop = await CommandFixture.open("empty");
    await mkdir(shop.path(".bin"));
    await writeFile(shop.path(".bin/npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${COMMAND}" "$@"\n`);
    await chmod(shop.path(".bin/npx"), 0o755);
    await writeFile(shop.path(".variables"), "");
    return new GuideReader(shop);
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(this.#shop.path(file), text);
  }

  /** Runs the commands of a block and returns their output, with the port of the guide. */
  async run(block: string): Promise<string> {
    let printed = "";
    for (const command of commandsIn(block))
      printed += command.startsWith("npx segno serve") ? await this.#serve(command) : await this.#shell(command);
    return printed.replaceAll(this.#port, GUIDE_PORT);
  }

  async #serve(command: string): Promise<string> {
    await this.#stop();
    const names = (await this.#shell("env")).split("\n").filter((line) => line.startsWith("SEGNO_SECRET_"));
    const environment = Object.fromEntries(names.map((line) => line.split("=") as [string, string]));
    const words = command.split(" ").slice("npx segno".split(" ").length);
    this.#server = new RunningSegno([...words, "--port", "0"], { folder: this.#shop.folder, environment });
    await this.#server.prints(/login.*\n/u);
    this.#port = /^serving http:\/\/127\.0\.0\.1:(\d+)$/mu.exec(this.#server.stdout)![1]!;
    return this.#server.stdout;
  }

  /** Exported variables stay for the commands after it. */
  #shell(command: string): Promise<string> {
    const script = `. ./.variables\n${command.replaceAll(GUIDE_PORT, this.#port)}\nexport -p > .variables\n`;
    const { PATH, XDG_STATE_HOME, SEGNO_FRESH_BUNDLE } = process.env;
    const env = { PATH: `${this.#shop.path(".bin")}:${PATH}`, XDG_STATE_HOME, SEGNO_FRESH_BUNDLE };
    return new Promise((resolve, reject) => {
      execFile("sh", ["-ec", script], { cwd: this.#shop.folder, env }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${command}\n${stdout}${stderr}`)),
      );
    });
  }

  async #stop(): Promise<void> {
    this.#server?.send("SIGTERM");
    await this.#server?.ended;
    this.#server = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.#shop[Symbol.asyncDispose]();
  }
}

/** A command begins with `$ `. A line that ends with a backslash continues on the next one. */
function commandsIn(block: string): readonly string[] {
  return block
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .map((line) => line.slice(2));
}

function shownPattern(text: string): RegExp {
  const parts = text
    .trimEnd()
    .split("…")
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join("[\\s\\S]*")}\\s*$`, "u");
}

it("HTTP-7 every command of the guide of the server runs, and prints what the guide shows", async () => {
  await using reader = await GuideReader.open();
  const blocks = fencedBlocks(readFileSync(GUIDE, "utf8"));
  let commands = 0;
  for (const [index, { info, text }] of blocks.entries()) {
    const file = / file=(\S+)$/u.exec(info)?.[1];
    if (file !== undefined) await reader.write(file, text);
    if (info !== "sh server") continue;
    commands++;
    const printed = await reader.run(text);
    const next = blocks[index + 1];
    if (next?.info === "text") expect(printed).toMatch(shownPattern(next.text));
  }
  expect(commands).toBeGreaterThan(5);
});
