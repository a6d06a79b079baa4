// The canary by HTTP (DATA-9): everything that a server answers about executions that had secrets, searched for every form of them.

import { skip, workflow, type StepContext } from "@segno/engine";
import { expect, it } from "vitest";
import { hitsIn, SECRETS } from "../../segno/test/canary-secrets.ts";
import { allRoutes } from "../src/app/all-routes.ts";
import { ServerFixture } from "./server-fixture.ts";
import { readUntil, sentEvents } from "./streams.ts";

const NAMES = Object.keys(SECRETS);
const values = ({ secrets }: Pick<StepContext, "secrets">): readonly string[] => Object.values(secrets);

const LEAKS = workflow<{ note?: string }>("leaks")
  .step("returns", { secrets: NAMES }, (context) => {
    for (const value of values(context)) {
      context.log.info({ value, [value]: true }, `it is ${value}`);
      context.stream(`${value}\n`);
    }
    return { values: values(context), text: JSON.stringify(values(context)) };
  })
  .step("throws", { secrets: NAMES, onError: "continue", retry: 1 }, (context) => {
    throw Object.assign(new Error(values(context).join()), { code: values(context)[0] });
  })
  .step("skips", { secrets: NAMES }, (context) => skip(values(context).join(" ")))
  .step("after", { dependsOn: ["returns"] }, ({ outputs }) => outputs.returns)
  .output(({ outputs }) => outputs.after);

const FAILS = workflow("fails").step("fails", { secrets: NAMES, retry: 1 }, (context) => {
  throw new Error(values(context).join("\n"));
});

it("DATA-9 no secret is in an answer, a stream or a problem document", async () => {
  const faults: unknown[] = [];
  await using fixture = await ServerFixture.open(
    { workflows: [LEAKS, FAILS], onFault: (error) => faults.push(error) },
    { secrets: (name) => SECRETS[name] },
  );
  const headers = { authorization: `Bearer ${fixture.token}` };
  const hits: string[] = [];
  const look = (place: string, content: string): void => void hits.push(...hitsIn(place, content));

  const all = sentEvents(await fetch(`${fixture.server.url}/v1/events`, { headers }));
  await readUntil(all, ({ event }) => event === "snapshot");
  const wait = { headers: { prefer: "wait=30" } };
  for (const name of ["leaks", "fails"]) {
    const started = await fixture.post("/v1/executions", { workflow: name, id: name, input: {} }, wait);
    look(`the start of ${name}`, started.text);
    expect(started.text).toContain("***");
    const one = await fetch(`${fixture.server.url}/v1/executions/${name}/events`, { headers });
    look(`the stream of ${name}`, await one.text());
  }
  const events = await readUntil(all, ({ event }) => event === "execution.failed");
  look("the stream of all", JSON.stringify(events));
  await all.return(undefined);

  for (const { method, path } of allRoutes([])) {
    if (method !== "GET" || path.endsWith("/events")) continue;
    for (const id of ["leaks", "fails"])
      for (const query of ["", "?step=returns", "?step=throws", "?step=fails"]) {
        const place = path.replace("{id}", id).replace("{name}", id) + query;
        look(place, (await fixture.call(place)).text);
        const lines = await fixture.call(place, { headers: { accept: "application/x-ndjson" } });
        look(`${place} as lines`, lines.text);
      }
  }
  // What a client sends comes back in problem documents; a secret of the engine is masked there, too.
  for (const value of Object.values(SECRETS)) {
    const encoded = encodeURIComponent(value);
    for (const path of [
      `/v1/executions/${encoded}`,
      `/v1/executions?status=${encoded}`,
      `/v1/workflows/${encoded}`,
      `/${encoded}`,
    ])
      look(`the problem of ${path}`, (await fixture.call(path)).text);
    for (const body of [{ workflow: value }, { workflow: "leaks", [value]: 1 }, `"${value}`])
      look("the problem of a body", (await fixture.post("/v1/executions", body)).text);
  }
  expect([...new Set(hits)]).toEqual([]);
  expect(faults).toEqual([]);
});

it("DATA-9 a token is in no answer and in no store, only its hash", async () => {
  await using fixture = await ServerFixture.open();
  const { token, server } = fixture;
  expect(JSON.stringify(await server.tokens.list())).not.toContain(token.slice(6));
  const paths = ["/v1/workflows", "/openapi.json", "/v1/none", "/v1/engine", `/v1/executions/${token}x`.slice(0, 20)];
  for (const path of paths) expect((await fixture.call(path)).text).not.toContain(token);
  const { record } = await server.tokens.create({ name: "ann", scopes: ["read"] });
  expect(server.loginLink(record.hash)).not.toMatch(new RegExp(`${record.hash}|segno_`, "u"));
});
