// The options of GitHub, and the addresses that follow from them.
//
//   GO1. The token is sent only to the host of the base URL and to the host of its repositories, and only encrypted; the
//        machine itself is the exception.

import { CodeError } from "../errors/code-error.ts";

/** The repository on GitHub, and how pull requests are merged there. */
export interface GitHubOptions {
  /** The user or organization that owns the repository. */
  readonly owner: string;
  /** The name of the repository. */
  readonly repository: string;
  /** Called before each request, so that a short-lived token can be renewed. Read it from the secrets of the step. */
  readonly token: () => string | Promise<string>;
  /** The address of the REST API; `https://<host>/api/v3` for GitHub Enterprise Server. */
  readonly baseUrl?: string;
  /** By default `merge`. */
  readonly mergeMethod?: "merge" | "squash" | "rebase";
  /** The names of check runs and commit statuses that have to exist and to pass. */
  readonly expectedChecks?: readonly string[];
  /** Whether a pull request without any check counts as passed. By default it waits for its first check. */
  readonly allowNoChecks?: boolean;
}

const BASE_URL = "https://api.github.com";
const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/u;
const REPOSITORY = /^(?!\.{1,2}$)[\w.-]{1,100}$/u;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Throws unless requests can be sent with these options. */
export function checkGitHubOptions({ owner, repository, baseUrl, expectedChecks, allowNoChecks }: GitHubOptions): void {
  if (!OWNER.test(owner)) throw invalid(`${JSON.stringify(owner)} is not the name of an account on GitHub`);
  if (!REPOSITORY.test(repository))
    throw invalid(`${JSON.stringify(repository)} is not the name of a repository on GitHub`);
  if (allowNoChecks === true && (expectedChecks ?? []).length > 0)
    throw invalid("`allowNoChecks` has no effect if `expectedChecks` names checks; remove one of them");
  if (baseUrl !== undefined) parseBaseUrl(baseUrl);
}

/** The token. Its form is checked here, because the message of a refused header would contain it. */
export async function readToken(options: GitHubOptions): Promise<string> {
  const token = await options.token();
  if (!/^[!-~]+$/u.test(token)) throw invalid("the token of GitHub is empty, or has blanks or other characters");
  return token;
}

/** The address of the REST API, without a slash at its end. */
export function apiUrl({ baseUrl }: GitHubOptions): string {
  return withoutSlash(parseBaseUrl(baseUrl ?? BASE_URL).href);
}

/** The address from which git fetches and to which it pushes. It contains no credentials. */
export function gitUrl(options: GitHubOptions): string {
  const url = parseBaseUrl(options.baseUrl ?? BASE_URL);
  // `api.github.com` and `api.<name>.ghe.com`; GitHub Enterprise Server has one host for both.
  if (/^api\.(?:github\.com|[\w-]+\.ghe\.com)$/u.test(url.hostname)) url.hostname = url.hostname.slice("api.".length);
  const folder = withoutSlash(url.href).replace(/\/api\/v3$/u, "");
  return `${folder}/${options.owner}/${options.repository}.git`;
}

function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw invalid(`the base URL ${JSON.stringify(text)} is not a URL`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw invalid("the base URL must have no credentials, no query and no fragment");
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
  if (!isSafe) throw invalid(`the base URL ${url.href} must begin with \`https:\`, because the token is sent to it`);
  return url;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/u, "");
}

function invalid(message: string): CodeError {
  return new CodeError("CONFIGURATION_INVALID", message);
}
