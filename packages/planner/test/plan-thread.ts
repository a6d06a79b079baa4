// Plans one workflow on a thread of its own and posts the result as JSON.

import { parentPort } from "node:worker_threads";
import { graph, plan } from "./fixture.ts";

const result = await plan(graph("a b(a) c(a) d(b,c)"), { executionMode: "parallel" });
// A thread is no window and has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(JSON.stringify(result));
