// The origin of an `http` step's URL: which values may decide where a request goes, checked before anything runs.
//
//   O1. A step that uses a secret has a literal origin. Otherwise the author of a value could have the secret sent to another host.
//   O2. No value stands beside other characters of a host.

import type { JsonPath } from "../model/json.ts";
import { inBackticks } from "../data/jmespath/expression.ts";
import type { CompiledTemplate } from "../data/template.ts";
import { compileUrl } from "../data/url-template.ts";
import type { ProblemCollector } from "./problem-collector.ts";

/** The template with its values encoded. Problems are reported to the collector. */
export function compileHttpUrl(
  template: CompiledTemplate,
  usesSecrets: boolean,
  path: JsonPath,
  problems: ProblemCollector,
): CompiledTemplate {
  const url = compileUrl(template);
  if (url === undefined) {
    if (template.kind === "literal" && typeof template.json === "string") checkLiteral(template.json, path, problems);
    return template;
  }
  if (url.kind === "refused") {
    problems.structural(
      "HTTP_ORIGIN_OPEN",
      path,
      `${inBackticks(url.expression.source)} is at a place where its value could become a part of the host`,
      "write scheme and host literally, and a `/` before the first value: `https://host/${ … }`",
    );
    return template;
  }
  if (usesSecrets && !url.hasLiteralOrigin)
    problems.structural(
      "HTTP_ORIGIN_OPEN",
      path,
      "this step uses a secret, and a value would determine which host gets it",
      "write scheme, host and port literally: `https://host/${ … }`",
    );
  return { kind: "url", parts: url.parts };
}

/** A literal URL with a scheme. The URL that is sent is checked again, by a URL parser. */
const LITERAL = /^https?:\/\/(?:[\p{L}\p{M}\p{N}._~%-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?(?:[/?#]|$)/iu;
const CREDENTIALS = /^https?:\/\/[^/?#]*@/iu;

function checkLiteral(url: string, path: JsonPath, problems: ProblemCollector): void {
  const text = url.trim();
  if (LITERAL.test(text) || !text.includes(":")) return;
  if (CREDENTIALS.test(text)) {
    const hint = "give credentials in a header, from a secret";
    problems.structural("HTTP_URL_INVALID", path, "the URL holds a user name or a password", hint);
    return;
  }
  const hint = "write it as `https://host/path`";
  problems.structural("HTTP_URL_INVALID", path, "the URL has no valid `http` or `https` origin", hint);
}

/** Whether a template contains a secret. */
export function holdsSecret(template: CompiledTemplate): boolean {
  switch (template.kind) {
    case "secret":
      return true;
    case "list":
      return template.items.some(holdsSecret);
    case "object":
      return template.entries.some(([, value]) => holdsSecret(value));
    case "literal":
    case "expression":
    case "text":
    case "url":
      return false;
  }
}
