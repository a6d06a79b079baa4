// examples/server/server.ts
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Engine, workflow } from "segno";

const order = workflow<{ item: string }>("order")
  .step("pack", async ({ input, signal }) => {
    await pause(200, undefined, { signal });
    return `${input.item} is packed`;
  })
  .step("send", { dependsOn: ["pack"] }, ({ outputs }) => `${outputs.pack} and sent`)
  .output(({ outputs }) => outputs.send);

/** A web server and a worker in one process. Resolves when the server listens. */
export async function serve(file: string, port: number): Promise<{ url: string; ended: Promise<void> }> {
  const engine = await Engine.open({ file, workflows: [order], retention: { endedMs: 30 * 86_400_000 } });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const [, kind = "", id = ""] = (request.url ?? "").split("/");
      if (request.method === "POST" && kind === "orders") {
        // The key of the client makes a repeated request return the same execution.
        const idempotencyKey = request.headers["idempotency-key"]?.toString() ?? crypto.randomUUID();
        const execution = await engine.start(order, { item: id }, { idempotencyKey });
        response.writeHead(202).end(execution.id);
      } else if (kind === "status") {
        const { status } = await (await engine.get(id)).status();
        response.end(status);
      } else response.writeHead(404).end();
    } catch (error) {
      response.writeHead(500).end((error as { code?: string }).code ?? "ERROR");
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(port, "127.0.0.1"), "listening");

  const ended = once(process, "SIGTERM").then(async () => {
    await new Promise((closed) => server.close(closed)); // accept no further requests
    await engine.close({ drainMs: 20_000 }); // running steps may finish, and no new steps start
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ended };
}
