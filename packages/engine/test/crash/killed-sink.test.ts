// kill -9 of a process with a sink over HTTP, repeatedly, to a server that often fails: no event is missing at the server.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Engine } from "@segno/engine";
import { bundleProgram } from "../bundled-program.ts";
import { startServer, type RecordedRequest } from "../sinks/recording-server.ts";
import { EXECUTIONS } from "./killed-sink-worker.ts";

const PROGRAM = bundleProgram(join(import.meta.dirname, "killed-sink-worker.ts"));
const KILLS = 12;
const folder = mkdtempSync(join(tmpdir(), "segno-killed-sink-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves when the process has ended, by itself or by the kill. */
async function runWorker(url: string, file: string, isEnough: (output: string) => boolean): Promise<void> {
  const worker = spawn(process.execPath, [PROGRAM, file, url], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  worker.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (isEnough(output)) worker.kill("SIGKILL");
  });
  await once(worker, "close");
}

it(
  "EVENT-3 loses no event if its process is killed again and again while the server fails",
  { timeout: 600_000 },
  async () => {
    const file = join(folder, "segno.db");
    const accepted = new Map<string, number[]>();
    let requests = 0;
    const accept = ({ lines }: RecordedRequest): void => {
      for (const { executionId, seq } of lines as readonly { executionId: string; seq: number }[])
        accepted.set(executionId, [...(accepted.get(executionId) ?? []), seq]);
    };
    await using server = await startServer((request, response) => {
      const turn = ++requests % 9;
      if (turn === 3) return void response.socket!.resetAndDestroy();
      if (turn === 5) return void response.writeHead(503, { "retry-after": "0" }).end();
      accept(request);
      // The sender is killed before it hears that the server has accepted the events, and sends them again.
      if (turn === 7) return void response.socket!.destroy();
      response.end();
    });

    for (let kill = 1; kill <= KILLS; kill++) {
      const ended = Math.ceil((EXECUTIONS * kill) / (KILLS + 1));
      await runWorker(server.url, file, (output) => output.includes(`ended work-${ended - 1}\n`));
    }
    await runWorker(server.url, file, (output) => output.includes("all done"));

    const engine = await Engine.open({
      file,
      onFault: () => undefined,
      sinks: [{ type: "http", name: "killed", url: server.url, batchMs: 0 }],
    });
    const expected = new Map<string, readonly number[]>();
    for (let each = 0; each < EXECUTIONS; each++) {
      const seqs: number[] = [];
      for await (const { seq } of (await engine.get(`work-${each}`)).events()) seqs.push(seq);
      expected.set(`work-${each}`, seqs);
    }
    const isMissing = (): readonly string[] =>
      [...expected].flatMap(([id, seqs]) =>
        seqs.filter((seq) => !(accepted.get(id) ?? []).includes(seq)).map((seq) => `${id}:${seq}`),
      );
    await expect.poll(isMissing, { interval: 100 }).toEqual([]);
    await engine.close();
    // In order: an event never comes before an earlier one has come once.
    for (const [id, seqs] of expected) expect([...new Set(accepted.get(id))]).toEqual(seqs);
  },
);
