// Holes that others' servers had, each as a class of requests that walks over all routes: a fix of one case is often bypassed by
// another case of the same class (HTTP-7).

import { describe, expect, it } from "vitest";
import { allRoutes } from "../src/app/all-routes.ts";
import type { ApiRoute } from "../src/routes/route.ts";
import { ServerFixture } from "./server-fixture.ts";

const ROUTES = allRoutes([]);
const GUARDED = ROUTES.filter(({ scope }) => scope !== "public");
const pathOf = ({ path }: ApiRoute, value = "x"): string => path.replaceAll(/\{\w+\}/gu, value);
const bodyOf = ({ body }: ApiRoute): { body?: object } => (body === undefined ? {} : { body: {} });

describe("every guarded route", () => {
  it("HTTP-7 is refused without a token although its path, a header or the method says that it is something public", async () => {
    await using fixture = await ServerFixture.open();
    const publicEnds = ["/healthz", "/readyz", "/openapi.json", "/health", "/ready", "/configs", "/login"];
    const headers = {
      "x-original-url": "/healthz",
      "x-rewrite-url": "/healthz",
      "x-forwarded-for": "127.0.0.1",
      "x-http-method-override": "GET",
      upgrade: "websocket",
      "sec-fetch-site": "same-origin",
    };
    for (const each of GUARDED) {
      const { method } = each;
      const tries = [
        pathOf(each),
        pathOf(each, "healthz"),
        pathOf(each, "..%2f..%2fhealthz"),
        ...publicEnds.map((end) => pathOf(each) + end),
        `/healthz/..${pathOf(each)}`,
        `/healthz%2f..${pathOf(each)}`,
        `/${pathOf(each)}`,
        pathOf(each).toUpperCase(),
      ];
      for (const path of tries) {
        const { upgrade: _, ...sendable } = headers;
        const answer = await fixture.call(path, { method, ...bodyOf(each), token: "", headers: sendable });
        expect(answer.status, `${method} ${path}`).toBe(401);
      }
    }
  });

  it("HTTP-7 that changes something needs more than `read`, and streams need a token as other reads do", () => {
    for (const { method, path, scope } of GUARDED)
      if (method !== "GET") expect(scope, `${method} ${path}`).not.toBe("read");
    for (const { path, scope } of ROUTES) if (path.endsWith("/events")) expect(scope).toBe("read");
  });

  it("HTTP-7 reads no body, and runs nothing, before the token is checked", async () => {
    await using fixture = await ServerFixture.open();
    for (const each of GUARDED.filter(({ body }) => body !== undefined)) {
      const { status } = await fixture.call(pathOf(each), { method: each.method, body: "{ not json", token: "" });
      expect(status, each.path).toBe(401);
    }
  });
});

describe("every route with parameters", () => {
  it.each([
    ["a path", "..%2f..%2f..%2fetc%2fpasswd"],
    ["an absolute path", "%2fetc%2fpasswd"],
    ["SQL", "x'%20OR%20'1'='1"],
    ["SQL that ends a statement", "x%22);DROP%20TABLE%20executions;--"],
    ["a null byte", "a%00b"],
    ["a prototype", "__proto__"],
    ["a constructor", "constructor"],
    ["a template", "$%7B7*7%7D"],
    ["a line break, for a forged header", "x%0d%0aSet-Cookie:%20a=b"],
    ["half a character", "%ed%a0%80"],
    ["a bad escape", "%zz"],
    ["a long name", "x".repeat(900)],
  ])("HTTP-7 takes %s in its parameters as a name that nobody has", async (_, value) => {
    const faults: unknown[] = [];
    await using fixture = await ServerFixture.open({ onFault: (error) => faults.push(error) });
    for (const each of ROUTES.filter(({ path }) => path.includes("{"))) {
      const paths = [pathOf(each, value), `${pathOf(each)}?step=${value}&path=${value}`];
      for (const path of paths) {
        const { status, headers } = await fixture.call(path, { method: each.method, ...bodyOf(each) });
        expect([400, 404, 422], `${each.method} ${path} ${status}`).toContain(status);
        expect(headers.get("set-cookie")).toBeNull();
      }
    }
    const listed = await fixture.call(`/v1/executions?workflow=${value}&text=${value}&correlationId=${value}`);
    expect([200, 400], String(listed.status)).toContain(listed.status);
    expect(listed.json["executions"] ?? []).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe("a browser", () => {
  it("HTTP-7 gets no permission for another origin, not even for a preflight", async () => {
    await using fixture = await ServerFixture.open();
    for (const path of new Set(ROUTES.map((each) => pathOf(each)))) {
      const { status, headers } = await fixture.call(path, {
        method: "OPTIONS",
        headers: { origin: "https://evil.example.com", "access-control-request-method": "POST" },
      });
      expect([status, headers.get("access-control-allow-origin")], path).toEqual([404, null]);
    }
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=a",
    "application/json\t; a=b",
    " ",
    "application/json;charset=latin1",
    "application/jsonx",
  ])("HTTP-7 cannot send a body of type %j, which needs no preflight or hides another type", async (type) => {
    await using fixture = await ServerFixture.open();
    for (const each of ROUTES.filter(({ body }) => body !== undefined)) {
      const options = { method: each.method, body: "{}", headers: { "content-type": type } };
      expect((await fixture.call(pathOf(each), options)).status, `${each.path} ${type}`).toBe(415);
    }
  });
});
