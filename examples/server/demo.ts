// examples/server/demo.ts
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "segno";
import { serve } from "./server.ts";

const file = join(mkdtempSync(join(tmpdir(), "segno-server-")), "segno.db");
const { url, ended } = await serve(file, 0);

const post = async (): Promise<string> =>
  (await fetch(`${url}/orders/tea`, { method: "POST", headers: { "Idempotency-Key": "order-7" } })).text();
const id = await post();
console.log("the same execution:", id === (await post()));

process.kill(process.pid, "SIGTERM"); // as a service manager does
await ended;

// Everything is in the journal. A read-only engine needs no functions.
await using reader = await Engine.open({ file, mode: "readOnly" });
const [pack] = (await (await reader.get(id)).status()).steps;
console.log(pack?.name, pack?.status);
