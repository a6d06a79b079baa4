// A folder with a journal, an engine on it that knows the canary's secrets, and a look into everything that it says and keeps.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inspect } from "node:util";
import { loadContract } from "@segno/contract";
import { Engine, type EngineOptions, type ExecutionHandle, type Logger } from "@segno/engine";
import { afterEach, beforeEach } from "vitest";

import { writeContracts } from "./canary-contracts.ts";
import { hitsIn, SECRETS } from "./canary-secrets.ts";

export class CanaryFixture {
  readonly folder: string = mkdtempSync(join(tmpdir(), "segno-canary-"));
  readonly log: SeenLog = new SeenLog();
  readonly #engines: Engine[] = [];
  readonly #servers: Server[] = [];

  constructor() {
    writeContracts(this.folder);
  }

  async open(options: EngineOptions = {}): Promise<Engine> {
    const engine = await Engine.open({
      file: this.path("it.db"),
      cwd: this.folder,
      durability: "relaxed",
      logger: this.log.logger(),
      secrets: (name) => SECRETS[name],
      ...options,
    });
    this.#engines.push(engine);
    return engine;
  }

  /** Where it can be reached. */
  async serve(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  async appears(name: string): Promise<void> {
    await until(() => existsSync(this.path(name)));
  }

  /** All reports and events of the engine about an execution, and the content of its files. */
  async hits(engine: Engine, handle: ExecutionHandle): Promise<readonly string[]> {
    const { id } = handle;
    const { steps } = await handle.status();
    const said: Readonly<Record<string, unknown>> = {
      status: await handle.status(),
      result: await handle.result().catch((error: unknown) => seen(error)),
      events: await collect(handle.events()),
      logs: await collect(engine.logs(id)),
      why: [await engine.why(id), ...(await Promise.all(steps.map(({ name }) => engine.why(id, name))))],
      list: await engine.list(),
      export: await collect(engine.export(id)),
    };
    await engine.backup(this.path(`copy-of-${id}.db`));
    const places = Object.entries(said).filter(([, value]) => hitsIn("", JSON.stringify(value)).length > 0);
    return [...places.flatMap(([name, value]) => hitsIn(name, JSON.stringify(value))), ...this.#hitsLeft()];
  }

  #hitsLeft(): readonly string[] {
    return [...hitsIn("the logger", this.log.text), ...hitsOnDisk(this.folder)];
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine.close();
    for (const server of this.#servers) server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The arguments of a logger, as a complete dump shows them. */
class SeenLog {
  text = "";

  logger(common: unknown = {}): Logger {
    const line = (...given: readonly unknown[]): void => {
      this.text += `${seen([common, ...given])}\n${JSON.stringify([common, ...given])}\n`;
    };
    return { debug: line, info: line, warn: line, error: line, child: (fields) => this.logger([common, fields]) };
  }
}

function seen(value: unknown): string {
  return inspect(value, { depth: 20, maxStringLength: null });
}

/** The databases of a folder as files, and every row of them: a value may go over several pages, which lie anywhere. */
export function hitsOnDisk(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /\.db(?:-wal|-shm)?$/u.test(name));
  return names.flatMap((name) => [
    ...hitsIn(name, readFileSync(join(folder, name))),
    ...(name.endsWith(".db") ? hitsIn(`rows of ${name}`, readRows(join(folder, name))) : []),
  ]);
}

function readRows(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all());
  database.close();
  const texts = rows.flatMap((row) => Object.values(row));
  return texts.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value))).join("\n");
}

/** A fixture for each test of a file. */
export function useCanaryFixture(): { current: CanaryFixture } {
  const holder: { current: CanaryFixture } = { current: undefined as never };
  beforeEach(() => {
    holder.current = new CanaryFixture();
  });
  afterEach(() => holder.current.close());
  return holder;
}

export async function start(engine: Engine, yaml: string): Promise<ExecutionHandle> {
  return engine.start(loadContract(yaml));
}

/** How it ended, whichever way it did. */
export async function ended(handle: ExecutionHandle): Promise<string> {
  await handle.result().catch(() => undefined);
  return (await handle.status()).status;
}

/** Below the limit of a test: what is waited for is the condition, not a time. */
const WAIT_MAX_MS = 100_000;

export async function until(look: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + WAIT_MAX_MS; !(await look());) {
    if (performance.now() > deadline) throw new Error(`it never came to this: ${String(look)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
