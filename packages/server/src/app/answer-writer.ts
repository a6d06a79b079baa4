// Writes the answer of a handler to the connection.

import { Readable } from "node:stream";

import type { FastifyReply } from "fastify";

import { toProblem } from "../errors/problem.ts";
import type { Answer } from "../routes/route.ts";
import type { StreamConnection } from "../streams/stream-connection.ts";
import { RateError } from "./authenticator.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM_TYPE = "application/problem+json; charset=utf-8";
/** A reader that takes nothing for this long is gone. */
const WRITE_TIMEOUT_MS = 30_000;

export async function sendAnswer(reply: FastifyReply, answer: Answer, signal: AbortSignal): Promise<void> {
  switch (answer.kind) {
    case "json": {
      const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
      await reply
        .code(answer.status)
        .headers(answer.headers ?? {})
        .type(JSON_TYPE)
        .send(body);
      return;
    }
    case "text":
      await reply.code(answer.status).type(answer.type).send(answer.body);
      return;
    case "empty":
      await reply
        .code(answer.status)
        .headers(answer.headers ?? {})
        .send();
      return;
    case "lines":
      await reply
        .code(200)
        .headers(answer.headers ?? {})
        .type(answer.type)
        .send(Readable.from(answer.lines));
      return;
    case "events":
      return sendEvents(reply, answer.open, signal);
  }
}

async function sendEvents(
  reply: FastifyReply,
  open: (connection: StreamConnection) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { raw } = reply;
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
      // The connection ends with its stream, so it does not hold up a server that closes.
      Connection: "close",
    });
    raw.flushHeaders();
  };
  // The answer to HEAD has no body, so there is nothing to follow.
  if (reply.request.method === "HEAD") {
    begin();
    raw.end();
    return;
  }
  const connection: StreamConnection = {
    begin,
    write: (text) => {
      begin();
      return raw.write(text);
    },
    drained: (until) => drained(raw, until),
    signal,
  };
  try {
    await open(connection);
  } catch (error) {
    if (!hasBegun) throw error;
  }
  begin();
  // A reader that takes nothing would keep the connection open.
  if (raw.writableNeedDrain) raw.destroy();
  else raw.end();
}

function drained(raw: FastifyReply["raw"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => raw.destroy(), WRITE_TIMEOUT_MS);
    const done = (): void => {
      clearTimeout(timer);
      raw.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    raw.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}

export async function sendProblem(reply: FastifyReply, error: unknown, mask: (text: string) => string): Promise<void> {
  const problem = toProblem(error);
  if (error instanceof RateError) reply.header("Retry-After", String(error.seconds));
  if (problem.status === 401) reply.header("WWW-Authenticate", "Bearer");
  await reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .send(mask(JSON.stringify(problem)));
}
