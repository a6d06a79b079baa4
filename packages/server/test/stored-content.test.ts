// Definitions and values by hash, and outputs that are absent (HTTP-5).

import { describe, expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";

const UNKNOWN = `sha256:${"0".repeat(64)}`;

describe("content by its hash", () => {
  it("HTTP-5 is the definition that an event names", async () => {
    await using fixture = await ServerFixture.open();
    await fixture.post("/v1/executions", { workflow: "hello", id: "e1", input: { name: "Ada" } });
    const { json } = await fixture.call("/v1/executions/e1/journal?limit=1");
    const [{ definition }] = json["events"] as [{ definition: string }];
    expect((await fixture.call(`/v1/definitions/${definition}`)).json).toMatchObject({ name: "hello" });
    const unknown = await fixture.call(`/v1/definitions/${UNKNOWN}`);
    expect([unknown.status, unknown.json["code"]]).toEqual([404, "DEFINITION_UNKNOWN"]);
  });

  it("HTTP-5 is a value of this execution, and of no other", async () => {
    await using fixture = await ServerFixture.open();
    const input = { name: "x".repeat(100_000) };
    for (const id of ["e1", "e2"])
      await fixture.post("/v1/executions", { workflow: "hello", id, input: id === "e1" ? input : { name: "Ada" } });
    const { json } = await fixture.call("/v1/executions/e1/journal?limit=1");
    const [{ input: stored }] = json["events"] as [{ input: { hash: string } }];
    const path = `values?hash=${stored.hash}&hash=${UNKNOWN}`;
    expect((await fixture.call(`/v1/executions/e1/${path}`)).json).toEqual({ values: { [stored.hash]: input } });
    expect((await fixture.call(`/v1/executions/e2/${path}`)).json).toEqual({ values: {} });
    expect((await fixture.call(`/v1/executions/e3/${path}`)).json).toMatchObject({ code: "EXECUTION_UNKNOWN" });
  });

  it.each(["values", "values?hash=x", "values?hash=sha256:..%2f..", `values?${`hash=${UNKNOWN}&`.repeat(101)}`])(
    "HTTP-5 refuses %.40s",
    async (path) => {
      await using fixture = await ServerFixture.open();
      await fixture.post("/v1/executions", { workflow: "asks", id: "e1" });
      const { status, json } = await fixture.call(`/v1/executions/e1/${path}`);
      expect([status, json["code"]]).toEqual([400, "REQUEST_INVALID"]);
    },
  );
});

describe("an output", () => {
  it("HTTP-5 that is not there yet is OUTPUT_MISSING, and one of an unknown step is STEP_UNKNOWN", async () => {
    await using fixture = await ServerFixture.open();
    await fixture.post("/v1/executions", { workflow: "asks", id: "e1" });
    for (const [query, code] of [
      ["", "OUTPUT_MISSING"],
      ["?step=ask", "OUTPUT_MISSING"],
      ["?step=nobody", "STEP_UNKNOWN"],
    ]) {
      const { status, json } = await fixture.call(`/v1/executions/e1/output${query}`);
      expect([status, json["code"]]).toEqual([404, code]);
    }
  });
});

describe("the caller", () => {
  it("HTTP-7 is the name and the scopes of the token", async () => {
    await using fixture = await ServerFixture.open();
    const token = await fixture.newToken("ann", "read", "approve");
    expect((await fixture.call("/v1/caller", { token })).json).toEqual({ name: "ann", scopes: ["read", "approve"] });
  });
});
