import type { Engine } from "@segno/engine";
import { serve as serveRoutes, type RunningServer, type ServeOptions } from "@segno/server";

import { PLAN_ROUTE } from "./plan-route.ts";

/**
 * Starts a server for an open engine, with the routes of all parts of Segno. Closing the server does not close the engine.
 *
 * @example
 * ```ts
 * import { Engine, workflow } from "segno";
 * import { serve } from "segno/server";
 *
 * const hello = workflow("hello")
 *   .step("say", () => "Hello")
 *   .output(({ outputs }) => outputs.say);
 *
 * await using engine = await Engine.open();
 * const server = await serve(engine, { port: 0, workflows: [hello] });
 * const { token } = await server.tokens.create({ name: "ann", scopes: ["run"] });
 * const answer = await fetch(`${server.url}/v1/executions`, {
 *   method: "POST",
 *   headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}`, Prefer: "wait=10" },
 *   body: JSON.stringify({ workflow: "hello" }),
 * });
 * const { output } = (await answer.json()) as { output: string };
 * console.log(answer.status, output); // 200 Hello
 * await server.close();
 * ```
 */
export function serve(engine: Engine, options: ServeOptions = {}): Promise<RunningServer> {
  return serveRoutes(engine, { ...options, routes: [PLAN_ROUTE, ...(options.routes ?? [])] });
}
