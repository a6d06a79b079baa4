// Runs http.yaml against a local server, which answers the second request with `Retry-After`.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Engine, loadContractFile } from "segno";

let greetings = 0;
const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.url === "/users/7") return void response.end('{"name":"Ada"}');
  if (++greetings === 1) return void response.writeHead(503, { "retry-after": "0" }).end();
  request.setEncoding("utf8").once("data", (body: string) => response.end(JSON.stringify({ sent: JSON.parse(body) })));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

// Private addresses are refused unless they are allowed.
const engine = await Engine.open({ store: "none", http: { allowPrivate: ["127.0.0.1"] } });
const { port } = server.address() as AddressInfo;
const execution = await engine.start(await loadContractFile("examples/http/http.yaml"), {
  base: `http://127.0.0.1:${port}`,
});
console.log(await execution.result(), `after ${greetings} greetings`);
await engine.close();
server.close();
