// Who may use which route (HTTP-7): the table of routes is walked, so a new route is covered when it exists.

import { request as httpRequest } from "node:http";

import { describe, expect, it } from "vitest";
import { allRoutes } from "../src/app/all-routes.ts";
import { SCOPES, type TokenScope } from "../src/auth/scope.ts";
import { route, type ApiRoute } from "../src/routes/route.ts";
import { ServerFixture } from "./server-fixture.ts";

const ROUTES = allRoutes([]);
const GUARDED = ROUTES.filter(({ scope }) => scope !== "public");
/** The code, the cookie or the signature of these requests takes the place of a token. */
const PUBLIC = ["/healthz", "/login", "/openapi.json", "/readyz", "/v1/hooks/{name}", "/v1/logout"];

const pathOf = ({ path }: ApiRoute): string => path.replaceAll(/\{\w+\}/gu, "x");
const optionsOf = ({ method, body }: ApiRoute): { method: string; body?: object } =>
  body === undefined ? { method } : { method, body: {} };

describe("the table of routes", () => {
  it("HTTP-7 has a scope for each route, and the public ones are known by name", () => {
    expect(
      ROUTES.filter(({ scope }) => scope === "public")
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(PUBLIC);
    expect(GUARDED.every(({ scope }) => SCOPES.includes(scope as TokenScope))).toBe(true);
  });

  it("HTTP-7 stops the start of a server with a route without a scope", async () => {
    const { scope: _, ...unguarded } = route({
      method: "GET",
      path: "/v1/open",
      scope: "read",
      summary: "",
      answers: {},
      handle: async () => ({ kind: "empty", status: 204 }),
    });
    await expect(ServerFixture.open({ routes: [unguarded as ApiRoute] })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});

describe("a request", () => {
  it("HTTP-7 without a token, also with tricks in the path, is refused on every route", async () => {
    await using fixture = await ServerFixture.open();
    for (const each of GUARDED) {
      const path = pathOf(each);
      const none = await fixture.call(path, { ...optionsOf(each), token: "" });
      expect([none.status, none.json["code"]], `${each.method} ${path}`).toEqual([401, "TOKEN_MISSING"]);
      expect(none.headers.get("www-authenticate")).toBe("Bearer");
      for (const trick of [
        "/healthz",
        "/configs",
        ";x",
        "%2e",
        "/",
        "/..%2fhealthz",
        "?x=/healthz",
        "/%2e%2e/healthz",
      ]) {
        const tricked = await fixture.call(path + trick, { ...optionsOf(each), token: "" });
        expect(tricked.status, `${each.method} ${path}${trick}`).toBe(401);
      }
    }
  });

  it("HTTP-7 with a token of another scope is refused on every route", async () => {
    await using fixture = await ServerFixture.open();
    for (const scope of SCOPES.filter((each) => each !== "admin")) {
      const token = await fixture.newToken(`only-${scope}`, scope);
      for (const each of GUARDED.filter((other) => other.scope !== scope)) {
        const { status, json } = await fixture.call(pathOf(each), { ...optionsOf(each), token });
        expect([status, json["code"]], `${each.method} ${each.path} with ${scope}`).toEqual([403, "SCOPE_MISSING"]);
      }
    }
  });

  it("HTTP-7 with another method is refused on every route", async () => {
    await using fixture = await ServerFixture.open();
    for (const path of new Set(ROUTES.map(pathOf)))
      for (const method of ["PATCH", "OPTIONS", "TRACE", "PUT", "DELETE"]) {
        if (ROUTES.some((each) => each.method === method && pathOf(each) === path)) continue;
        if (method === "TRACE") continue; // fetch refuses to send it
        expect((await fixture.call(path, { method })).status, `${method} ${path}`).toBe(404);
      }
  });
});

describe("a token", () => {
  it("HTTP-7 stops to work when it is revoked or has expired", async () => {
    await using fixture = await ServerFixture.open();
    const token = await fixture.newToken("ann", "read");
    const read = () => fixture.call("/v1/executions", { token });
    expect((await read()).status).toBe(200);
    expect(await fixture.server.tokens.revoke("ann")).toBe(1);
    expect((await read()).status).toBe(401);
    const { token: late } = await fixture.server.tokens.create({
      name: "late",
      scopes: ["read"],
      expiresAt: Date.now() - 1,
    });
    expect((await fixture.call("/v1/executions", { token: late })).status).toBe(401);
  });

  it("HTTP-7 that is wrong too often closes its address for a while: RATE_LIMITED", async () => {
    await using fixture = await ServerFixture.open();
    const statuses: number[] = [];
    for (let i = 0; i < 15; i++) statuses.push((await fixture.call("/v1/executions", { token: "segno_wrong" })).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  });

  it("HTTP-7 has a rate, and RATE_LIMITED says how long to wait", async () => {
    await using fixture = await ServerFixture.open({ limits: { rate: 1, burst: 3 } });
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await fixture.call("/v1/workflows"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(Number(answers.at(-1)!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});

describe("the name of the host", () => {
  it("HTTP-7 HOST_REFUSED is one that the server knows; any other is refused before the token is looked at", async () => {
    await using fixture = await ServerFixture.open({ hosts: ["segno.example.com"] });
    const { port } = new URL(fixture.server.url);
    const status = (host: string): Promise<number> => statusFor(fixture, host);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, "segno.example.com"])
      expect(await status(host), host).toBe(200);
    for (const host of ["evil.example.com", `evil.example.com:${port}`, "localhost:1", "127.0.0.1.evil.example.com"])
      expect([400, 421], host).toContain(await status(host));
  });
});

function statusFor({ server, token }: ServerFixture, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${token}` };
    httpRequest(`${server.url}/v1/workflows`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on("error", reject)
      .end();
  });
}

describe("every answer", () => {
  it("HTTP-7 has the security headers, and no permission for other origins", async () => {
    await using fixture = await ServerFixture.open();
    for (const path of ["/healthz", "/v1/workflows", "/v1/none"]) {
      const { headers } = await fixture.call(path, { headers: { origin: "https://evil.example.com" } });
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
