// Validates the URLs of `http` steps and of redirects. Messages contain only host and path, because a query may be
// confidential.

import { SegnoError } from "@segno/kernel";

const URL_LENGTH_MAX = 8192;

/** Throws if the text is not a URL that a step may request. */
export function httpUrl(text: string, base?: URL): URL {
  if (text.length > URL_LENGTH_MAX) throw invalid(`is longer than ${URL_LENGTH_MAX} characters`);
  const url = URL.parse(text, base?.href);
  if (url === null) throw invalid("is not valid; write it as `https://host/path`");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalid(`begins with \`${url.protocol}\``);
  if (url.username !== "" || url.password !== "") throw invalid("holds a user name or a password");
  return url;
}

export function withoutQuery(url: URL): string {
  return url.origin + url.pathname;
}

function invalid(problem: string): SegnoError {
  return new SegnoError("HTTP_URL_INVALID", `the URL ${problem}`);
}
