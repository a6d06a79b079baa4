// A server in a process of its own, on the file of the first argument. It prints its address and its token, and runs until it is
// killed or its input ends.

import { Engine, waitForSignal, workflow } from "@segno/engine";
import { serve } from "../src/index.ts";

const HELLO = workflow<{ name: string }>("hello")
  .step("say", ({ input }) => `Hello ${input.name}`)
  .step("again", { dependsOn: ["say"] }, ({ outputs }) => `${outputs.say}!`)
  .step("last", { dependsOn: ["again"] }, ({ outputs }) => `${outputs.again}!`)
  .output(({ outputs }) => outputs.last);

const WAITS = workflow("waits")
  .step("first", () => 1)
  .step("go", { dependsOn: ["first"] }, waitForSignal("go"))
  .step("last", { dependsOn: ["go"] }, () => 2)
  .output(({ outputs }) => outputs.last);

const engine = await Engine.open({ file: process.argv[2]!, limits: { slots: 1000, perAgent: 1000 } });
const server = await serve(engine, {
  port: 0,
  workflows: [HELLO, WAITS],
  limits: { rate: 1_000_000, burst: 1_000_000, streamsPerToken: 1000, streams: 1000 },
});
const { token } = await server.tokens.create({ name: "root", scopes: ["admin"] });
process.stdout.write(`${JSON.stringify({ url: server.url, token })}\n`);
process.stdin.resume().on("end", () => process.exit());
