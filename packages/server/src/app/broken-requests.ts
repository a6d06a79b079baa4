// Requests that cannot be read as HTTP: bad framing, too long headers, or bytes that come too slowly. They never reach a route.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { SegnoError } from "@segno/kernel";

import { toProblem } from "../errors/problem.ts";

interface ConnectionFault extends Error {
  readonly code?: string;
}

export class BrokenRequests {
  readonly #answers = new WeakMap<Socket, Set<ServerResponse>>();

  /** Remembers an answer that may be under way when its connection breaks. */
  watch(socket: Socket, answer: ServerResponse): void {
    const answers = this.#answers.get(socket) ?? new Set();
    this.#answers.set(socket, answers);
    answers.add(answer);
    answer.once("close", () => answers.delete(answer));
  }

  /** Answers with a problem document and closes the connection. */
  answer(fault: ConnectionFault, socket: Socket): void {
    if (fault.code === "ECONNRESET" || !socket.writable || this.#isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const problem = toProblem(toSegnoError(fault));
    const body = JSON.stringify(problem);
    const head = [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      "Content-Type: application/problem+json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  }

  /** A second answer inside the first would be read as a part of it. */
  #isAnswering(socket: Socket): boolean {
    return [...(this.#answers.get(socket) ?? [])].some((answer) => answer.headersSent);
  }
}

function toSegnoError({ code }: ConnectionFault): SegnoError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new SegnoError("REQUEST_TIMEOUT", "the request did not arrive in the time that the server waits");
  if (code === "HPE_HEADER_OVERFLOW")
    return new SegnoError("HEADERS_TOO_LARGE", "the headers of the request are too long");
  return new SegnoError("REQUEST_INVALID", "the request is not valid HTTP");
}
