import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { classifyError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { GitHubApi } from "../../src/github/github-api.ts";
import type { GitHubOptions } from "../../src/github/github-options.ts";
import { GitHubPullRequests } from "../../src/github/github-pull-requests.ts";
import { sameOriginFetch } from "../../src/github/same-origin-fetch.ts";
import { classifyTaskError } from "../../src/resolution/classify-task-error.ts";
import { SampleForge, TOKEN, type Fault } from "./sample-forge.ts";

const DATE = "Thu, 01 Jan 2026 00:00:00 GMT";
const RESET = String(Date.parse(DATE) / 1000 + 90);

/** The error of a request that gets this fault. */
async function errorOf(fault: Fault, options: Partial<GitHubOptions> = {}): Promise<unknown> {
  await using forge = await SampleForge.start();
  forge.fail(/./u, fault);
  const error: unknown = await new GitHubPullRequests(forge.options(options))
    .getPullRequestStatus("1")
    .catch((reason: unknown) => reason);
  // No request is repeated in a loop of our own.
  expect(forge.requests).toHaveLength(1);
  return error;
}

describe("a limit of GitHub", () => {
  it.each([
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "30" } }, 30_000],
    ["429 without a time", { status: 429 }, 60_000],
    ["429 with Retry-After 0", { status: 429, headers: { "retry-after": "0" } }, 1000],
    ["a date", { status: 429, headers: { date: DATE, "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" } }, 7000],
    ["a secondary limit with Retry-After", { status: 403, headers: { "retry-after": "45" } }, 45_000],
    ["a secondary limit", { status: 403, message: "You have exceeded a secondary rate limit." }, 60_000],
    [
      "the primary limit",
      { status: 403, headers: { date: DATE, "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET } },
      90_000,
    ],
    ["an overload with Retry-After", { status: 503, headers: { "retry-after": "20" } }, 20_000],
  ] satisfies readonly (readonly [string, Fault, number])[])(
    "FAIL-3 %s says when to try again",
    async (_, fault, ms) => {
      const error = await errorOf(fault);
      expect(error).toMatchObject({ name: "RateLimitError", code: "FORGE_LIMITED", retryAfterMs: ms });
      expect(error).toMatchObject({ errorType: "resource_unavailable" });
      expect(classifyError(error)).toBe("transient");
    },
  );
});

describe("an error of GitHub", () => {
  it.each([500, 502, 503, 408])("CODE-8 with the status %d is transient", async (status) => {
    const error = await errorOf({ status });
    expect(error).toMatchObject({ code: "FORGE_FAILED", status, errorType: "network_timeout" });
    expect(classifyError(error)).toBe("transient");
  });

  it.each([401, 403])("CODE-8 with the status %d is a lasting authentication error", async (status) => {
    const error = await errorOf({ status, message: "Resource not accessible by personal access token" });
    expect(error).toMatchObject({ code: "FORGE_UNAUTHORIZED", status, errorType: "authentication_error" });
    expect(classifyTaskError(error)).toBe("authentication_error");
    expect(classifyError(error)).toBe("permanent");
  });

  it("CODE-8 is lasting if GitHub refuses the request for another reason", async () => {
    const error = await errorOf({ status: 410 });
    expect(error).toMatchObject({ code: "FORGE_REFUSED", errorType: "configuration_error" });
    expect(classifyError(error)).toBe("permanent");
  });

  it("CODE-8 is transient if the connection breaks or the answer is cut off", async () => {
    const forge = await SampleForge.start();
    const options = forge.options();
    await forge[Symbol.asyncDispose]();
    const refused: unknown = await new GitHubPullRequests(options)
      .closePullRequest("1")
      .catch((error: unknown) => error);
    const cut = [{ text: '{"number": 1, "sta' }, { text: "null" }, { text: "" }];
    for (const error of [refused, ...(await Promise.all(cut.map((fault) => errorOf(fault))))]) {
      expect(error).toMatchObject({ code: "FORGE_FAILED" });
      expect(classifyError(error)).toBe("transient");
    }
  });
});

/** A server that answers each request with its handler. */
async function serve(handler: RequestListener): Promise<{ readonly origin: string } & AsyncDisposable> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The error of a request to this server. */
async function errorFrom({ origin }: { readonly origin: string }): Promise<Error> {
  const pulls = new GitHubPullRequests({ owner: "o", repository: "r", token: () => TOKEN, baseUrl: origin });
  return (await pulls.getPullRequestStatus("1").catch((reason: unknown) => reason)) as Error;
}

describe("an answer of GitHub", () => {
  it.each(["application/json", "text/html"])("CODE-8 of %s without an end is not read any further", async (type) => {
    let isClosed = false;
    await using server = await serve((_, response) => {
      response.writeHead(200, { "content-type": type });
      const write = (): void => {
        while (!response.destroyed && response.write("[".repeat(65_536)));
      };
      response.on("drain", write);
      response.on("close", () => (isClosed = true));
      write();
    });
    const error = await errorFrom(server);
    expect(error).toMatchObject({ code: "FORGE_FAILED", message: expect.stringContaining("bytes") as string });
    expect(classifyError(error)).toBe("transient");
    await expect.poll(() => isClosed).toBe(true);
  });

  it("CODE-8 that comes byte by byte ends with the time of its request", async () => {
    await using server = await serve((_, response) => {
      const timer = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(timer));
    });
    const answer = sameOriginFetch(server.origin, { signal: AbortSignal.timeout(100) });
    await expect(answer).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("CODE-8 with more items than were asked for is refused before its items are checked", async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(`[${"{},".repeat(1_000_000)}{}]`);
    });
    const options = { owner: "o", repository: "r", token: () => TOKEN, baseUrl: server.origin };
    const error = await new GitHubApi(options).listPulls("a", "b").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "FORGE_FAILED" });
    expect(((error as Error).cause as Error).message.length).toBeLessThan(2100);
  });

  it("CODE-8 DATA-9 with a long error keeps the beginning of the error, without the token", async () => {
    await using server = await serve((_, response) => {
      const message = `${"e".repeat(1990)}${TOKEN}${"e".repeat(3_000_000)}`;
      response.writeHead(422, { "content-type": "application/json" }).end(JSON.stringify({ message }));
    });
    const { message } = await errorFrom(server);
    expect(message.length).toBeLessThan(2200);
    expect(message).toContain("e***e");
    expect(message).not.toContain(TOKEN.slice(0, 5));
  });
});

describe("the token of GitHub", () => {
  it("CODE-8 is read again for each request, so it can be renewed", async () => {
    await using forge = await SampleForge.start();
    const tokens = ["expired", TOKEN];
    const pulls = new GitHubPullRequests(forge.options({ token: async () => tokens.shift()! }));
    await expect(pulls.getPullRequestStatus("1")).rejects.toMatchObject({ code: "FORGE_UNAUTHORIZED" });
    await expect(pulls.getPullRequestStatus("1")).rejects.toMatchObject({ code: "PULL_REQUEST_MISSING" });
  });

  it("DATA-9 is not sent to another host by a redirect", async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/repos/octo-org/sample/pulls/1`;
    for (const status of [301, 302, 307, 308])
      expect(await errorOf({ status, headers: { location } })).toMatchObject({ code: "FORGE_REFUSED" });
    other.close();
    expect(seen).toEqual([]);
  });

  it("DATA-9 is sent on if the repository has moved on the same host", async () => {
    await using forge = await SampleForge.start();
    const pulls = new GitHubPullRequests(forge.options());
    const head = forge.repository.commit("main", { "a.txt": "one\n" });
    forge.pulls.push({ number: 1, source: "main", target: "main", state: "open", reviews: [] });
    forge.fail(/./u, { status: 301, headers: { location: "/api/v3/repos/octo-org/sample/pulls/1" } });
    expect(await pulls.getPullRequestStatus("1")).toMatchObject({ kind: "open", head });
  });

  it("CODE-8 a request that changes something is not repeated by a redirect that could change its method", async () => {
    await using forge = await SampleForge.start();
    const pulls = new GitHubPullRequests(forge.options());
    forge.repository.commit("main", { "a.txt": "one\n" });
    forge.pulls.push({ number: 1, source: "main", target: "main", state: "open", reviews: [] });
    forge.fail(/^PATCH/u, { status: 301, headers: { location: "/api/v3/repos/octo-org/sample/pulls/1" } });
    await expect(pulls.closePullRequest("1")).rejects.toMatchObject({ code: "FORGE_REFUSED", status: 301 });
    expect(forge.pull("1").state).toBe("open");
  });

  it("DATA-9 is in no error", async () => {
    for (const fault of [{ status: 500 }, { status: 401 }, { isLost: true }, { text: "" }] as const) {
      const error = await errorOf(fault);
      for (let each = error; each instanceof Error; each = each.cause)
        expect(`${each.message} ${each.stack} ${JSON.stringify(each)}`).not.toContain(TOKEN);
    }
    for (const token of ["", `${TOKEN}\n`]) {
      const pulls = new GitHubPullRequests({ owner: "o", repository: "r", token: () => token });
      const error = (await pulls.closePullRequest("1").catch((reason: unknown) => reason)) as Error;
      expect(error).toMatchObject({ code: "CONFIGURATION_INVALID" });
      expect(error.message).not.toContain(TOKEN);
    }
  });
});
