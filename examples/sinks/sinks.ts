// examples/sinks/sinks.ts
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Engine, workflow } from "segno";

const SECRET = "the key of the hook";

/** The receiver checks the signature as Standard Webhooks says. */
function isSigned({ headers }: IncomingMessage, body: string): boolean {
  const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
  const expected = `v1,${createHmac("sha256", SECRET).update(signed).digest("base64")}`;
  const given = String(headers["webhook-signature"]).padEnd(expected.length);
  return timingSafeEqual(Buffer.from(given.slice(0, expected.length)), Buffer.from(expected));
}

const seen = new Set<string>();
const complete = Promise.withResolvers<void>();
let requests = 0;
const server = createServer((request, response) => void receive(request, response));

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  if (!isSigned(request, body)) return void response.writeHead(401).end();
  // The receiver is down for a moment: the sink sends the events again.
  if (++requests === 1) return void response.writeHead(503, { "retry-after": "0" }).end();
  response.end();
  for (const line of body.trim().split("\n")) {
    const { eventId, message } = JSON.parse(line) as { eventId: string; message: string };
    if (seen.has(eventId)) continue; // it came before
    seen.add(eventId);
    console.log(message);
    if (message === "execution.completed") complete.resolve();
  }
}

await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;

const folder = mkdtempSync(join(tmpdir(), "segno-sinks-"));
const greet = workflow("greet").step("hello", () => "hello");
const engine = await Engine.open({
  file: join(folder, "segno.db"),
  secrets: (name) => (name === "hook" ? SECRET : undefined),
  onFault: (error) => console.log((error as Error).message),
  sinks: [
    { type: "http", name: "audit", url, secret: "hook" },
    { type: "file", path: join(folder, "events.log"), maxBytes: 10_000_000, maxFiles: 3 },
  ],
});
await engine.start(greet);
await complete.promise;
await engine.close();
console.log("dropped:", engine.sinks[0]?.dropped);
server.close();
