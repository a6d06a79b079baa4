// Requests to GitHub's REST API by octokit: address, token, time limit, and errors with codes.
//
//   GC1. An answer is checked before it is used. Octokit returns the text of an answer that is not valid JSON, for example
//        one that was cut off, as if it were the data.
//   GC2. Octokit is loaded with the first request, because most runs do not need it.

import type { request as octokitRequest } from "@octokit/request";
import type { z } from "zod";
import { toAnswerError, type ForgeAnswer } from "./answer-error.ts";
import { errorText } from "./error-text.ts";
import { ForgeError, ForgeLimitError } from "./forge-error.ts";
import { apiUrl, checkGitHubOptions, readToken, type GitHubOptions } from "./github-options.ts";
import { sameOriginFetch } from "./same-origin-fetch.ts";

const TIMEOUT_MS = 30_000;
const API_VERSION = "2022-11-28";
/** Octokit writes warnings about deprecated operations to the console otherwise. */
const LOG = { debug() {}, info() {}, warn() {}, error() {} };

export type Send = typeof octokitRequest;

export class GitHubClient {
  readonly #options: GitHubOptions;

  constructor(options: GitHubOptions) {
    checkGitHubOptions(options);
    this.#options = options;
  }

  /** Sends one request and returns its checked answer. `what` names the request in messages. */
  async call<Data>(
    what: string,
    schema: z.ZodType<Data>,
    send: (request: Send) => Promise<{ readonly data: unknown }>,
  ): Promise<Data> {
    const token = await readToken(this.#options);
    const request = await this.#prepare(token);
    const { data } = await send(request).catch((error: unknown) => {
      throw toForgeError(what, error, token);
    });
    const checked = schema.safeParse(data);
    if (checked.success) return checked.data;
    const cause = new Error(errorText(checked.error.message, [token]));
    throw new ForgeError("FORGE_FAILED", `GitHub answered ${what} with something else`, { cause });
  }

  async #prepare(token: string): Promise<Send> {
    const { request } = await import("@octokit/request");
    return request.defaults({
      baseUrl: apiUrl(this.#options),
      headers: { authorization: `Bearer ${token}`, "user-agent": "segno", "x-github-api-version": API_VERSION },
      request: { fetch: sameOriginFetch, log: LOG, signal: AbortSignal.timeout(TIMEOUT_MS) },
    });
  }
}

/** The fields of octokit's error. It has no response if the request got no answer. */
interface RequestFailure extends Error {
  readonly response?: { readonly status: number; readonly headers: ForgeAnswer["headers"] };
}

function toForgeError(what: string, error: unknown, token: string): ForgeError | ForgeLimitError {
  const { response, message: whole, cause } = error as RequestFailure;
  const message = errorText(whole, [token]);
  if (cause instanceof ForgeError) return cause;
  // Octokit's error is not kept as the cause: it holds the whole request.
  if (response !== undefined) return toAnswerError(what, { ...response, message });
  return new ForgeError("FORGE_FAILED", `GitHub did not answer ${what}: ${message}`, { cause });
}
