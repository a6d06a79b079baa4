// Requests that are wrong: each gets a problem document with a stable code, starts nothing, and the server lives.

import { describe, expect, it } from "vitest";
import { ServerFixture, type CallOptions } from "./server-fixture.ts";

const START = "/v1/executions";
const deep = (levels: number): string => `{"workflow":"hello","input":${"[".repeat(levels)}${"]".repeat(levels)}}`;

const CASES: readonly (readonly [string, string, CallOptions, number, string])[] = [
  ["is not JSON", START, { method: "POST", body: "{" }, 400, "REQUEST_INVALID"],
  ["is nested too deep", START, { method: "POST", body: deep(100) }, 400, "REQUEST_INVALID"],
  ["is nested 200,000 levels deep", START, { method: "POST", body: deep(200_000) }, 400, "REQUEST_INVALID"],
  [
    "has a key that changes a prototype",
    START,
    { method: "POST", body: '{"workflow":"hello","input":{"__proto__":{}}}' },
    400,
    "REQUEST_INVALID",
  ],
  ["has an unknown field", START, { method: "POST", body: { workflow: "hello", inputs: {} } }, 400, "REQUEST_INVALID"],
  ["has a field of the wrong type", START, { method: "POST", body: { workflow: 7 } }, 400, "REQUEST_INVALID"],
  [
    "is text",
    START,
    { method: "POST", body: "hello", headers: { "content-type": "text/plain" } },
    415,
    "MEDIA_TYPE_UNSUPPORTED",
  ],
  [
    "is a form",
    START,
    { method: "POST", body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
    415,
    "MEDIA_TYPE_UNSUPPORTED",
  ],
  [
    "is compressed",
    START,
    { method: "POST", body: {}, headers: { "content-encoding": "gzip" } },
    415,
    "MEDIA_TYPE_UNSUPPORTED",
  ],
  ["names an unknown workflow", START, { method: "POST", body: { workflow: "none" } }, 404, "WORKFLOW_UNKNOWN"],
  [
    "has an id that is no name",
    START,
    { method: "POST", body: { workflow: "asks", id: "a\u0000b" } },
    400,
    "NAME_INVALID",
  ],
  ["has a cursor from elsewhere", `${START}?cursor=zzz`, {}, 400, "CURSOR_INVALID"],
  ["has an unknown parameter", `${START}?colour=red`, {}, 400, "REQUEST_INVALID"],
  ["asks for an unknown status", `${START}?status=happy`, {}, 400, "REQUEST_INVALID"],
  ["asks for a label without a value", `${START}?label=team`, {}, 400, "LABEL_INVALID"],
  ["asks for an unknown route", "/v1/nothing", {}, 404, "ROUTE_UNKNOWN"],
];

describe("a request", () => {
  it.each(CASES)("HTTP-6 that %s is refused", async (_, path, options, status, code) => {
    await using fixture = await ServerFixture.open();
    const answer = await fixture.call(path, options);
    expect([answer.status, answer.json["code"]]).toEqual([status, code]);
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/u);
    expect((await fixture.call(START)).json["executions"]).toEqual([]);
  });

  it("HTTP-6 with bytes that are not UTF-8 is refused", async () => {
    await using fixture = await ServerFixture.open();
    const response = await fetch(`${fixture.server.url}${START}`, {
      method: "POST",
      headers: { authorization: `Bearer ${fixture.token}`, "content-type": "application/json" },
      body: Uint8Array.of(0x22, 0xff, 0x22),
    });
    expect(response.status).toBe(400);
  });

  it("HTTP-6 whose input does not fit the schema of the workflow lists the problem", async () => {
    await using fixture = await ServerFixture.open();
    const unfit = await fixture.post(START, { workflow: "asks", priority: "high" });
    expect(unfit.json["problems"]).toEqual([{ detail: expect.any(String), pointer: "/priority" }]);
  });
});
