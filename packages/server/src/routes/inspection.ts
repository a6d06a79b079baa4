// Routes that inspect an execution: why it waits, its journal, its logs, its values and its files (HTTP-5, SCHED-7).

import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Engine, StoredLine } from "@segno/engine";
import { isTerminalStatus, SegnoError } from "@segno/kernel";
import { z } from "zod";

import { executionParams, json } from "./schemas.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const NDJSON = "application/x-ndjson";
const PAGE_MAX = 1000;

const why: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/why",
  scope: "read",
  summary: "Explain what an execution, or one of its steps, waits for.",
  params: executionParams,
  query: z.strictObject({ step: z.string().optional() }),
  answers: {
    200: { description: "What waits, and for what.", schema: z.object({ waiting: z.array(z.looseObject({})) }) },
  },
  handle: async ({ params: { id }, query: { step } }, { engine }) => ({
    kind: "json",
    status: 200,
    body: { waiting: await engine.why(id, step) },
  }),
});

const journalQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().meta({ description: "Only events after this number." }),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).optional(),
});

const journal: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/journal",
  scope: "read",
  summary: "Read the events of an execution: a page as JSON, or all of them as lines (`Accept: application/x-ndjson`).",
  params: executionParams,
  query: journalQuery,
  answers: {
    200: {
      description: "Events, oldest first.",
      otherTypes: [NDJSON],
      schema: z.object({
        events: z.array(z.looseObject({ seq: z.int(), kind: z.string() })),
        next: z.int().optional(),
      }),
    },
  },
  handle: async ({ params: { id }, query: { after = 0, limit }, header }, { engine }) => {
    const events = recordedEvents(engine, id, after);
    if (accepts(header("accept"), NDJSON)) return { kind: "lines", type: NDJSON, lines: jsonLines(events) };
    const page: { readonly seq: number }[] = [];
    let isMore = false;
    for await (const event of events) {
      if (page.length === (limit ?? 100)) {
        isMore = true;
        break;
      }
      page.push(event);
    }
    return { kind: "json", status: 200, body: { events: page, ...(isMore ? { next: page.at(-1)!.seq } : {}) } };
  },
});

function accepts(accept: string | undefined, type: string): boolean {
  return accept?.split(",").some((each) => each.split(";")[0]!.trim().toLowerCase() === type) === true;
}

/** The events that are in the journal now. */
async function* recordedEvents(engine: Engine, id: string, after: number): AsyncGenerator<{ readonly seq: number }> {
  const handle = await engine.get(id);
  const { seq: last, status } = await handle.status();
  if (after >= last) return;
  for await (const { event } of handle.events()) {
    if (event.seq > after) yield event;
    if (event.seq >= last && !isTerminalStatus(status)) return;
  }
}

async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

const logsQuery = z.strictObject({
  step: z.string().optional(),
  text: z.string().optional().meta({ description: "Only lines with this text." }),
  from: z.coerce.number().int().min(0).optional().meta({ description: "The first line of the range, from 0." }),
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
  follow: z.enum(["true", "false"]).optional().meta({ description: "Send lines until the execution ends." }),
});

const logs: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/logs",
  scope: "read",
  summary: "Read the log lines of an execution: a range with the number of all matching lines, or all as they come.",
  params: executionParams,
  query: logsQuery,
  answers: {
    200: {
      description: "Log lines, oldest first. `total` counts all lines that match.",
      otherTypes: [NDJSON],
      schema: z.object({ lines: z.array(z.looseObject({})), from: z.int(), total: z.int() }),
    },
  },
  handle: async ({ params: { id }, query, signal, header }, { engine }) => {
    const { step, text, from = 0, limit = 1000, follow } = query;
    const isFollowing = follow === "true";
    const options = { ...(step === undefined ? {} : { step }), follow: isFollowing, signal };
    const lines = matchingLines(engine.logs(id, options), text);
    if (isFollowing || accepts(header("accept"), NDJSON)) {
      await engine.get(id);
      return { kind: "lines", type: NDJSON, lines: jsonLines(lines) };
    }
    const range: StoredLine[] = [];
    let total = 0;
    for await (const line of lines) {
      if (total >= from && range.length < limit) range.push(line);
      total += 1;
    }
    return { kind: "json", status: 200, body: { lines: range, from, total } };
  },
});

async function* matchingLines(lines: AsyncIterable<StoredLine>, text: string | undefined): AsyncGenerator<StoredLine> {
  for await (const line of lines) if (text === undefined || line.text.includes(text)) yield line;
}

const output: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/output",
  scope: "read",
  summary: "Read the complete output of a step, or of the execution.",
  params: executionParams,
  query: z.strictObject({ step: z.string().optional() }),
  answers: { 200: { description: "The value.", schema: json } },
  handle: async ({ params: { id }, query: { step } }, { engine }) => {
    const handle = await engine.get(id);
    const value = step === undefined ? await finishedResult(engine, id) : await handle.output(step);
    if (value === undefined) throw new SegnoError("OUTPUT_MISSING", "there is no output yet");
    return { kind: "json", status: 200, body: JSON.stringify(value) };
  },
});

async function finishedResult(engine: Engine, id: string): Promise<unknown> {
  const handle = await engine.get(id);
  const { status } = await handle.status();
  return status === "completed" ? handle.result() : undefined;
}

const artifacts: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/artifacts",
  scope: "read",
  summary: "List the files that the steps have kept.",
  params: executionParams,
  query: z.strictObject({ step: z.string().optional() }),
  answers: { 200: { description: "The files.", schema: z.object({ artifacts: z.array(z.looseObject({})) }) } },
  handle: async ({ params: { id }, query: { step } }, { engine }) => {
    const handle = await engine.get(id);
    return { kind: "json", status: 200, body: { artifacts: await handle.artifacts(step) } };
  },
});

const artifact: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/artifact",
  scope: "read",
  summary: "Read a file that a step has kept.",
  params: executionParams,
  query: z.strictObject({ step: z.string(), path: z.string() }),
  answers: { 200: { description: "The bytes of the file.", type: "application/octet-stream" } },
  handle: async ({ params: { id }, query: { step, path } }, { engine }) => {
    const handle = await engine.get(id);
    const folder = await mkdtemp(join(tmpdir(), "segno-artifact-"));
    const file = join(folder, "content");
    await handle.copyArtifact(step, path, file).catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    });
    // A browser must never show a file of a step as a page of this server.
    const headers = { "Content-Disposition": "attachment", "Content-Security-Policy": "sandbox" };
    return { kind: "lines", type: "application/octet-stream", lines: readAndRemove(file, folder), headers };
  },
});

async function* readAndRemove(file: string, folder: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const INSPECTION_ROUTES: readonly ApiRoute[] = [why, journal, logs, output, artifacts, artifact];
