// The canary (DATA-9): secrets go through every kind of step, and are then looked for in everything that is left behind or
// shown: the database with its WAL, a backup, an export, logs, events, what a logger is given, and the terminal.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { writeContracts } from "./canary-contracts.ts";
import { hitsOnDisk, until } from "./canary-fixture.ts";
import { hashText, hitsIn, SECRETS, SECRET_VARIABLES } from "./canary-secrets.ts";
import { hasScript, PseudoTerminal } from "./pseudo-terminal.ts";
import type { SegnoRun } from "./run-segno.ts";
import { CommandFixture } from "./command-fixture.ts";

let server: Server;
let address: string;
let input: string;

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
  input = JSON.stringify({ node: process.execPath });
});
afterAll(() => void server.close());

/** Gives back the headers that it was sent, wherever an answer can hold something. */
function answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
  const sent = [headers["authorization"], headers["x-quoted"], headers["x-url"]].map(String);
  response.setHeader("x-echo", sent[0]!);
  response.setHeader("x-base64", Buffer.from(sent.join(" ")).toString("base64"));
  if (url === "/redirect")
    return void response
      .writeHead(302, { location: `/echo/${encodeURIComponent(sent[2]!)}?q=${encodeURIComponent(sent[0]!)}` })
      .end();
  const json = { "content-type": url === "/problem" ? "application/problem+json" : "application/json" };
  const problem = { title: sent[0], detail: sent.join(" "), code: sent[2], errors: [{ detail: sent[1] }], retry: sent };
  if (url === "/problem") return void response.writeHead(422, json).end(JSON.stringify(problem));
  if (url === "/refuse")
    return void response.writeHead(400, { "content-type": "text/plain" }).end(`no: ${sent.join(" ")}`);
  response.writeHead(200, json).end(JSON.stringify({ headers, sent, text: JSON.stringify(sent) }));
}

async function opened(): Promise<CommandFixture> {
  const shop = await CommandFixture.open();
  writeContracts(shop.folder, address);
  return shop;
}

const PRIVATE = "--allow-private-network";

function run(shop: CommandFixture, ...words: readonly string[]): Promise<SegnoRun> {
  return shop.run(words, { environment: SECRET_VARIABLES });
}

/** In a terminal of its own, as people see it; nothing where there is none to be had. */
async function inTerminal({ folder }: CommandFixture, words: readonly string[]): Promise<string> {
  if (!hasScript) return "everything completed in no terminal";
  const terminal = new PseudoTerminal(words, { folder, columns: 300, environment: SECRET_VARIABLES });
  await terminal.ended;
  return terminal.output;
}

/** By who got something, whether each of the secrets was among it. */
function received(shop: CommandFixture, label: string): readonly boolean[] {
  const lines = existsSync(shop.path("received")) ? readFileSync(shop.path("received"), "utf8").split("\n") : [];
  return Object.values(SECRETS).map((value) => lines.includes(`${label} ${hashText(value)}`));
}

const countHits = (name: string, { stdout, stderr }: SegnoRun): readonly string[] => [
  ...hitsIn(`${name}, stdout`, stdout),
  ...hitsIn(`${name}, stderr`, stderr),
];

/** Reports about ended executions, by their database. */
const LOOKS: readonly (readonly string[])[] = [
  ["plain.db", "show", "it"],
  ["plain.db", "show", "it", "--json"],
  ["plain.db", "show", "it", "failing"],
  ["plain.db", "show", "it", "exec", "--json"],
  ["plain.db", "show", "it", "--failed", "--json"],
  ["plain.db", "logs", "it"],
  ["plain.db", "logs", "it", "--jsonl"],
  ["plain.db", "list"],
  ["plain.db", "why", "it", "failing"],
  ["plain.db", "watch", "it"],
  ["plain.db", "db", "export", "it"],
  ["undone.db", "show", "it"],
  ["undone.db", "logs", "it"],
];

/** The steps that get secrets, and their secrets. */
const LABELS: readonly string[] = (
  "exec run failing retried late item primary standby module module-prints module-throws thread thread-prints thread-throws " +
  "makes undo holds stopped breaks"
).split(" ");
const EVERY = Object.keys(SECRETS).map(() => true);

describe("the canary itself", () => {
  it("DATA-9 a list that finds every form of a secret finds it where it is", () => {
    for (const value of Object.values(SECRETS)) {
      const bytes = Buffer.from(`x${value}z`);
      const forms = [
        value,
        JSON.stringify({ value }),
        encodeURIComponent(value),
        bytes.toString("base64"),
        bytes.toString("base64url"),
        bytes.toString("hex"),
      ];
      for (const form of forms) expect(hitsIn("here", `before ${form} after`).length).toBeGreaterThan(0);
    }
    expect(hitsIn("here", "nothing of the kind")).toEqual([]);
  });
});

describe("the canary, by the command", () => {
  it("DATA-9 no secret is in anything that any kind of step leaves behind, or that any command shows", async () => {
    await using shop = await opened();
    const started = ["run", "everything.yaml", "--input", input, PRIVATE];
    const [plain, json, jsonl, terminal, undone] = await Promise.all([
      run(shop, ...started, "--db", "plain.db", "--id", "it"),
      run(shop, ...started, "--db", "json.db", "--json"),
      run(shop, ...started, "--db", "jsonl.db", "--jsonl"),
      inTerminal(shop, [...started, "--db", "terminal.db"]),
      run(shop, "run", "undone.yaml", "--db", "undone.db", "--id", "it"),
    ]);
    expect([plain.exitCode, json.exitCode, jsonl.exitCode, undone.exitCode], plain.stderr).toEqual([0, 0, 0, 1]);
    expect(stripVTControlCharacters(terminal)).toContain("everything completed in ");
    const shown = await Promise.all(
      LOOKS.map(async ([file, ...words]) => [words.join(" "), await run(shop, ...words, "--db", file!)] as const),
    );
    await run(shop, "db", "backup", "copy.db", "--db", "plain.db");
    expect([
      ...countHits("run", plain),
      ...countHits("run --json", json),
      ...countHits("run --jsonl", jsonl),
      ...countHits("run of what fails", undone),
      ...hitsIn("run in a terminal", terminal),
      ...hitsIn("run in a terminal, without its escapes", stripVTControlCharacters(terminal)),
      ...shown.flatMap(([name, look]) => countHits(name, look)),
      ...hitsOnDisk(shop.folder),
    ]).toEqual([]);
    expect(existsSync(shop.path("copy.db"))).toBe(true);
    expect(plain.stdout + json.stdout).toContain("***");
    for (const label of LABELS) expect([label, ...received(shop, label)]).toEqual([label, ...EVERY]);
  });

  it("DATA-9 no secret shows after the process was killed, in what a new one writes, prints or finds", async () => {
    await using shop = await opened();
    const running = shop.start(["run", "crashed.yaml", "--id", "it", "--db", "it.db"], {
      environment: SECRET_VARIABLES,
    });
    await until(() => existsSync(shop.path("up")));
    const watching = shop.start(["watch", "it", "--db", "it.db"]);
    await watching.reports(/holds/u);
    running.send("SIGKILL");
    const killed = await running.ended;
    const left = hitsOnDisk(shop.folder);
    writeFileSync(shop.path("go"), "");
    const following = shop.start(["logs", "it", "--db", "it.db", "--follow"]);
    const work = await run(shop, "work", "--until-idle", "--db", "it.db");
    const [watched, followed] = await Promise.all([watching.ended, following.ended]);
    expect([
      ...left,
      ...countHits("run", killed),
      ...countHits("work", work),
      ...countHits("watch", watched),
      ...countHits("logs --follow", followed),
      ...hitsOnDisk(shop.folder),
    ]).toEqual([]);
    expect(followed.stdout).toContain("***");
    const shown = await run(shop, "show", "it", "--json", "--db", "it.db");
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: "completed" });
    expect(received(shop, "holds")).toEqual(EVERY);
  });
});
