// `fetch` that reads the answer to its end, and sends a request, and the token in its headers, to no other origin.
//
// GitHub redirects requests for a repository that was renamed. Such a redirect stays on its host. A request that changes
// something is repeated only if the answer demands the same method (307, 308).

import { readBounded } from "./bounded-answer.ts";
import { ForgeError } from "./forge-error.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const REDIRECTS_MAX = 5;

export async function sameOriginFetch(url: string, init: RequestInit): Promise<Response> {
  let at = url;
  for (let count = 0; count <= REDIRECTS_MAX; count++) {
    const response = await fetch(at, { ...init, redirect: "manual" });
    if (!REDIRECTS.has(response.status)) return await readBounded(response);
    await response.body?.cancel();
    at = redirectTarget(at, init.method ?? "GET", response);
  }
  throw new ForgeError("FORGE_REFUSED", `${withoutQuery(url)} was redirected more than ${REDIRECTS_MAX} times`);
}

function redirectTarget(from: string, method: string, { status, headers }: Response): string {
  const target = URL.parse(headers.get("location") ?? "", from);
  const origin = new URL(from).origin;
  if (target?.origin !== origin)
    throw new ForgeError(
      "FORGE_REFUSED",
      `${withoutQuery(from)} was redirected to ${target?.origin ?? "no URL"}; the token is sent to ${origin} only`,
      { status },
    );
  if (method !== "GET" && status !== 307 && status !== 308)
    throw new ForgeError(
      "FORGE_REFUSED",
      `${withoutQuery(from)} was redirected with ${status}, which does not repeat a ${method}; name the repository as it is called now`,
      { status },
    );
  return target.href;
}

function withoutQuery(url: string): string {
  return url.replace(/\?.*$/su, "");
}
