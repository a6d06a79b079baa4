// Problem documents (RFC 9457): a status for each code, and nothing of a fault that the server does not know.

import { SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { statusOfCode, toProblem } from "../src/errors/problem.ts";
import { route } from "../src/routes/route.ts";
import { ServerFixture } from "./server-fixture.ts";

describe("a problem document", () => {
  it("HTTP-6 has the code, its status, a title that never changes, and the place of its description", () => {
    expect(toProblem(new SegnoError("EXECUTION_UNKNOWN", "there is no execution x"))).toEqual({
      type: "https://github.com/segno-dev/segno/blob/main/docs/reference/errors.md#execution_unknown",
      title: "execution unknown",
      status: 404,
      detail: "there is no execution x",
      code: "EXECUTION_UNKNOWN",
    });
  });

  it.each([
    ["TOKEN_MISSING", 401],
    ["SCOPE_MISSING", 403],
    ["ORIGIN_REFUSED", 403],
    ["SERVER_CLOSING", 503],
    ["STORE_FULL", 503],
    ["NAME_INVALID", 400],
  ])("HTTP-6 %s is answered with %i", (code, status) => expect(statusOfCode(code)).toBe(status));

  it("HTTP-6 SERVER_FAULT does not show an error that the server does not know, and the fault is reported", async () => {
    const faults: unknown[] = [];
    const broken = route({
      method: "GET",
      path: "/v1/broken",
      scope: "read",
      summary: "Fails.",
      answers: {},
      handle: async () => {
        throw new Error("a path and a password");
      },
    });
    await using fixture = await ServerFixture.open({ routes: [broken], onFault: (error) => faults.push(error) });
    const { status, text, json } = await fixture.call("/v1/broken");
    expect([status, json["code"], text.includes("password"), faults.length]).toEqual([500, "SERVER_FAULT", false, 1]);
  });
});
