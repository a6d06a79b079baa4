// A small forge on a real socket. It keeps pull requests, reviews, checks and a git repository, and checks each request and
// each of its own answers against GitHub's description of its API.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { GitHubOptions } from "../../src/github/github-options.ts";
import { ForgeAnswers, type ForgePull } from "./forge-answers.ts";
import { ForgeRepository } from "./forge-repository.ts";
import { OpenApiDescription } from "./openapi-description.ts";

export const TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
const OWNER = "octo-org";
const REPOSITORY = "sample";

/** What happens to one request instead of an answer by the forge. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly message?: string }
  /** The request is carried out, and the connection breaks before the answer. */
  | { readonly isLost: true }
  /** The answer stops in the middle. */
  | { readonly text: string };

type Values = Readonly<Record<string, string>>;
type Handler = (values: Values, body: Readonly<Record<string, unknown>>, query: URLSearchParams) => Reply;
interface Reply {
  readonly status: number;
  readonly body: unknown;
}

let description: OpenApiDescription | undefined;

export class SampleForge implements AsyncDisposable {
  readonly repository: ForgeRepository = new ForgeRepository();
  readonly pulls: ForgePull[] = [];
  /** The requests to the API, as `GET /repos/…`. */
  readonly requests: string[] = [];
  /** The ids of the check runs that were asked to run again. */
  readonly reruns: string[] = [];
  readonly authorizations: (string | undefined)[] = [];
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));
  readonly #faults: { readonly pattern: RegExp; readonly fault: Fault }[] = [];
  readonly #actions: { readonly pattern: RegExp; readonly act: () => void }[] = [];
  readonly #problems: string[] = [];
  readonly #description: OpenApiDescription = (description ??= new OpenApiDescription());
  readonly #answers: ForgeAnswers = new ForgeAnswers(this.#description, this.repository);
  readonly #prefix: string;

  private constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** `prefix` is the path of the base URL. */
  static async start(prefix = "/api/v3"): Promise<SampleForge> {
    const forge = new SampleForge(prefix);
    await new Promise<void>((resolve) => forge.#server.listen(0, "127.0.0.1", resolve));
    return forge;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  options(more: Partial<GitHubOptions> = {}): GitHubOptions {
    const baseUrl = `${this.origin}${this.#prefix}`;
    return { owner: OWNER, repository: REPOSITORY, token: () => TOKEN, baseUrl, ...more };
  }

  /** The next request that fits the pattern gets the fault. */
  fail(pattern: RegExp, fault: Fault): void {
    this.#faults.push({ pattern, fault });
  }

  /** Acts when the next request that fits the pattern comes, before it is carried out. */
  onNext(pattern: RegExp, act: () => void): void {
    this.#actions.push({ pattern, act });
  }

  pull(id: string): ForgePull {
    return this.pulls.find(({ number }) => String(number) === id)!;
  }

  /** Answers about a commit, which tests change. */
  get checks(): Pick<ForgeAnswers, "runs" | "statuses"> {
    return this.#answers;
  }

  /** The requests that change something. */
  get changes(): readonly string[] {
    return this.requests.filter((each) => !each.startsWith("GET "));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.repository.dispose();
    expect(this.#problems).toEqual([]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin);
    const git = `${this.#prefix.replace(/\/api\/v3$/u, "")}/${OWNER}/`;
    if (!url.pathname.startsWith(`${git}${REPOSITORY}.git/`)) return await this.#serveApi(request, response, url);
    const basic = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`;
    this.authorizations.push(request.headers.authorization);
    if (request.headers.authorization !== basic)
      return void response.writeHead(401, { "www-authenticate": "Basic realm=forge" }).end();
    const fault = this.#takeFault(`GIT ${url.pathname}${url.search}`);
    if (fault !== undefined && "status" in fault) return void response.writeHead(fault.status, fault.headers).end();
    this.repository.serve(request, response, url.pathname.slice(git.length - 1), url.search.slice(1));
  }

  async #serveApi(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const body = await text(request);
    const method = request.method ?? "";
    const path = url.pathname.startsWith(`${this.#prefix}/`) ? url.pathname.slice(this.#prefix.length) : "";
    const seen = { method, path, query: url.searchParams, contentType: request.headers["content-type"], body };
    const name = `${method} ${path}`;
    this.requests.push(name);
    this.authorizations.push(request.headers.authorization);
    const route = this.#route(method, path);
    if (route === undefined) {
      this.#problems.push(`${method} ${url.pathname} is unknown`);
      return void response.writeHead(500).end();
    }
    this.#problems.push(...this.#description.requestProblems(route.template, route.values, seen));
    const fault = this.#takeFault(name);
    if (fault !== undefined && "status" in fault) return this.#write(response, method, route.template, fault);
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return this.#write(response, method, route.template, { status: 401, message: "Bad credentials" });
    const action = this.#actions.findIndex(({ pattern }) => pattern.test(name));
    if (action !== -1) this.#actions.splice(action, 1)[0]?.act();
    const reply = route.handler(
      route.values,
      body === "" ? {} : (JSON.parse(body) as Readonly<Record<string, unknown>>),
      url.searchParams,
    );
    if (fault !== undefined && "isLost" in fault) return void request.socket.destroy();
    if (fault !== undefined && "text" in fault)
      return void response.writeHead(200, { "content-type": "application/json" }).end(fault.text);
    this.#problems.push(...this.#description.answerProblems(route.template, method, reply.status, reply.body));
    writeJson(response, reply.status, reply.body);
  }

  #write(
    response: ServerResponse,
    method: string,
    template: string,
    { status, headers, message }: Extract<Fault, { readonly status: number }>,
  ): void {
    const body = { message: message ?? `status ${status}`, documentation_url: "https://docs.github.com/rest" };
    this.#problems.push(...this.#description.answerProblems(template, method, status, body));
    writeJson(response, status, body, headers);
  }

  #takeFault(name: string): Fault | undefined {
    const index = this.#faults.findIndex(({ pattern }) => pattern.test(name));
    return index === -1 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
  }

  #route(
    method: string,
    path: string,
  ): { readonly template: string; readonly values: Values; readonly handler: Handler } | undefined {
    for (const [route, handler] of Object.entries(this.#handlers)) {
      const [ofRoute, template = ""] = route.split(" ");
      const pattern = template.replaceAll(/\{(\w+)\}/gu, "(?<$1>[^/]+)");
      const match = ofRoute === method ? new RegExp(`^${pattern}$`, "u").exec(path) : null;
      const values = { ...match?.groups };
      if (match !== null && values["owner"] === OWNER && values["repo"] === REPOSITORY)
        return { template, values, handler };
    }
    return undefined;
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    "GET /repos/{owner}/{repo}/pulls": (_values, _body, query) => {
      const found = this.pulls.filter(
        ({ source, target }) => query.get("head") === `${OWNER}:${source}` && query.get("base") === target,
      );
      return { status: 200, body: found.toReversed().map((pull) => this.#answers.listedPull(pull)) };
    },
    "POST /repos/{owner}/{repo}/pulls": (_values, body) => this.#create(String(body["head"]), String(body["base"])),
    "GET /repos/{owner}/{repo}/pulls/{pull_number}": ({ pull_number = "" }) =>
      this.#ofPull(pull_number, (pull) => this.#answers.pull(pull)),
    "PATCH /repos/{owner}/{repo}/pulls/{pull_number}": ({ pull_number = "" }, { state }) =>
      this.#ofPull(pull_number, (pull) => {
        if (state === "closed" || state === "open") pull.state = state;
        // A closed pull request keeps its head, whatever is pushed to its branch later.
        if (state === "closed") pull.staleHead = this.#answers.head(pull);
        return this.#answers.pull(pull);
      }),
    "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge": ({ pull_number = "" }, { sha }) =>
      this.#merge(this.pull(pull_number), String(sha)),
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews": ({ pull_number = "" }, _body, query) =>
      this.#ofPull(pull_number, (pull) => this.#answers.reviews(pull, query)),
    "GET /repos/{owner}/{repo}/commits/{ref}/check-runs": ({ ref = "" }, _body, query) => ({
      status: 200,
      body: this.#answers.checkRuns(ref, query),
    }),
    "POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest": ({ check_run_id = "" }) => {
      this.reruns.push(check_run_id);
      return { status: 201, body: {} };
    },
    "GET /repos/{owner}/{repo}/commits/{ref}/status": ({ ref = "" }, _body, query) => ({
      status: 200,
      body: this.#answers.combinedStatus(ref, query),
    }),
  };

  #ofPull(number: string, answer: (pull: ForgePull) => unknown): Reply {
    const pull = this.pulls.find((each) => String(each.number) === number);
    return pull === undefined
      ? { status: 404, body: { message: "Not Found", documentation_url: "https://docs.github.com/rest" } }
      : { status: 200, body: answer(pull) };
  }

  #create(source: string, target: string): Reply {
    const isOpen = this.pulls.some((pull) => pull.source === source && pull.target === target && pull.state === "open");
    const isKnown = this.repository.head(source) !== undefined && this.repository.head(target) !== undefined;
    if (isOpen || !isKnown) {
      const errors = [{ resource: "PullRequest", code: isOpen ? "custom" : "invalid", field: "head" }];
      return {
        status: 422,
        body: { message: "Validation Failed", documentation_url: "https://docs.github.com", errors },
      };
    }
    const pull: ForgePull = { number: this.pulls.length + 1, source, target, state: "open", reviews: [] };
    this.pulls.push(pull);
    return { status: 201, body: this.#answers.pull(pull) };
  }

  #merge(pull: ForgePull, sha: string): Reply {
    const head = this.#answers.head(pull);
    if (sha !== head)
      return { status: 409, body: { message: "Head branch was modified. Review and try the merge again." } };
    if (pull.state === "closed" || pull.blocked === true || !this.repository.isMergeable(head, pull.target))
      return { status: 405, body: { message: "Pull Request is not mergeable" } };
    pull.merged = { head, commit: this.repository.merge(head, pull.target) };
    pull.state = "closed";
    return {
      status: 200,
      body: { sha: pull.merged.commit, merged: true, message: "Pull Request successfully merged" },
    };
  }
}

function writeJson(response: ServerResponse, status: number, body: unknown, headers: Values = {}): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}
