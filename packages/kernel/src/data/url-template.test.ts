// URLs of `http` steps: which values are allowed where, and how they are encoded.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../model/json.ts";
import { problems, step, type Rest } from "../../test/properties/written-steps.ts";
import { render } from "./render.ts";
import { compileTemplate } from "./template.ts";
import { compileUrl } from "./url-template.ts";

const LISTENER = { problem: () => undefined, expression: () => undefined, secret: () => undefined };

function rendered(url: string, values: { readonly [key: string]: Json }): string {
  const compiled = compileUrl(compileTemplate(url, [], LISTENER));
  if (compiled?.kind !== "url") return "refused when it is compiled";
  const result = render({ kind: "url", parts: compiled.parts }, values, false);
  if (result.kind === "value") return String(result.value);
  return `${result.failure.class} ${result.failure.code}: ${result.failure.message}`;
}

const http = (url: string, rest: Rest & { readonly headers?: Readonly<Record<string, string>> } = {}): Rest => {
  const { headers, ...others } = rest;
  return { action: { kind: "http", method: "GET", url, ...(headers === undefined ? {} : { headers }) }, ...others };
};
const TOKEN = { headers: { authorization: "${ secrets.token }" } };

const OPEN = [
  "${ input.url }",
  "${ input.base }/users",
  "https://${ input.host }/users",
  "https://${ input.host }:8080/users",
  "https://host:${ input.port }/users",
  "https://${ input.host }:${ input.port }/users",
];
const REFUSED = [
  "http://host${ input.path }",
  "http://host:80${ input.path }",
  "http://a.${ input.host }/x",
  "http://${ input.name }.example.com/x",
  "http://${ input.user }@host/x",
  "http://user@host${ input.path }",
  "http://host\\${ input.path }",
  "${ input.base }.example.com/x",
  "${ input.base }${ input.path }",
  "${ input.scheme }://host/x",
  "ht${ input.s }://host/x",
  "/users/${ input.id }",
  "//host/${ input.id }",
  "ftp://host/${ input.id }",
];

describe("the origin", () => {
  it.each(OPEN)("DATA-9 %s is allowed if the step uses no secret, and refused if it does", (url) => {
    expect(problems([step("a", http(url))])).toEqual([]);
    const expected = [
      "HTTP_ORIGIN_OPEN steps[0].action.url: this step uses a secret, and a value would determine which host gets it => write scheme, host and port literally: `https://host/${ … }`",
    ];
    expect(problems([step("a", http(url, TOKEN))])).toEqual(expected);
    expect(problems([step("a", http(url, { secrets: ["token"] }))])).toEqual(expected);
    expect(problems([step("a", http(url, { input: { deep: ["${ secrets.token }"] } }))])).toEqual(expected);
    const undo = { compensate: { action: http(url, TOKEN).action! } } as Rest;
    expect(problems([step("a", undo)])).toEqual([expected[0]!.replace("steps[0].", "steps[0].compensate.")]);
  });

  it.each(REFUSED)("DATA-9 %s is refused always", (url) => {
    const [problem] = problems([step("a", http(url))]);
    expect(problem).toMatch(
      /^HTTP_ORIGIN_OPEN steps\[0\]\.action\.url: `.*` is at a place where its value could become a part of the host => /u,
    );
  });

  it("DATA-9 a literal origin may be used with secrets", () => {
    for (const url of [
      "https://host/${ input.id }",
      "https://[::1]:8080/a?q=${ input.id }",
      "https://host",
      "https://host?${ input.q }=1",
    ])
      expect(problems([step("a", http(url, TOKEN))])).toEqual([]);
  });

  it("DATA-9 a value that is an origin, a host or a port cannot contain more than that", () => {
    expect(rendered("${ v }/x", { v: "http://127.0.0.1:80/api/" })).toBe("http://127.0.0.1:80/api/x");
    expect(rendered("http://${ v }/x", { v: "[::1]" })).toBe("http://[::1]/x");
    expect(rendered("http://${ v }:80?x", { v: "a.b" })).toBe("http://a.b:80?x");
    expect(rendered("http://${ v }:${ w }/x", { v: "h", w: 8080 })).toBe("http://h:8080/x");
    for (const v of [
      "http://h?",
      "http://h#",
      "http://u@h",
      "http://h\\",
      "ftp://h",
      "h",
      "http://h/ x",
      "http://",
      "http://h/\n",
      5,
      null,
    ])
      expect(rendered("${ v }/x", { v })).toMatch(/^permanent HTTP_URL_VALUE: .*is not an origin/u);
    for (const v of ["", "h/x", "u@h", "h:1", "h?", "h#", "h h", "a\tb", "h\\"])
      expect(rendered("http://${ v }/x", { v })).toMatch(/^permanent HTTP_URL_VALUE: .*is not the name/u);
    for (const v of ["", "1@h", "80/", "-1", "123456", null])
      expect(rendered("http://h:${ v }/x", { v })).toMatch(/^permanent HTTP_URL_VALUE: .*is not the number/u);
  });
});

it.each(["http://user:pw@h", "https://user@h/x", "htp:/nope", "https://exa mple.com/", "ftp://h/x", "https:///x"])(
  "CONTRACT-3 HTTP_URL_INVALID the literal URL %s is refused, and the message does not show it",
  (url) => {
    const [problem, ...others] = problems([step("a", http(url))]);
    expect(others).toEqual([]);
    expect(problem).toMatch(/^HTTP_URL_INVALID steps\[0\]\.action\.url: the URL (?:holds a user|has no valid `http`)/u);
    expect(problem).not.toContain(url);
  },
);

it.each(["https://host", "HTTP://h:8080/a b", "https://münchen.de/?q=a@b", "http://[::1]:80/x:y@z"])(
  "CONTRACT-3 the literal URL %s is accepted",
  (url) => expect(problems([step("a", http(url))])).toEqual([]),
);

describe("values in a URL", () => {
  it("DATA-9 a value in a path is a part of one segment", () => {
    expect(rendered("http://h/users/${ v }/keys", { v: "a/b?c#d&e=f+g %" })).toBe(
      "http://h/users/a%2Fb%3Fc%23d%26e%3Df%2Bg%20%25/keys",
    );
    expect(rendered("http://h/${ v }.json", { v: "é😀" })).toBe("http://h/%C3%A9%F0%9F%98%80.json");
    expect(rendered("http://h/${ v }", { v: 7 })).toBe("http://h/7");
  });

  it("DATA-9 a value in a query is a part of one key or value", () => {
    expect(rendered("http://h/x?q=${ v }&r=${ w }#${ v }", { v: "a&b=c#d+e /?", w: ["x", 1] })).toBe(
      "http://h/x?q=a%26b%3Dc%23d%2Be%20%2F%3F&r=%5B%22x%22%2C1%5D#a%26b%3Dc%23d%2Be%20%2F%3F",
    );
    expect(rendered("http://h/x?q=${ v }", { v: "../.." })).toBe("http://h/x?q=..%2F..");
  });

  it.each([
    "..",
    ".",
    "%2e%2e",
    "%2E.",
    "%252e%252e",
    "../internal/keys",
    "a/../../b",
    "a%2f..%2fb",
    "..\\x",
    "a\\b",
    "a%5cb",
    "a\nb",
    "a\tb",
    "a%0ab",
    "\u0000",
    "\u007f",
    "a\u0085",
    "\ud800",
  ])("DATA-9 %j in a path is refused for good, and the message does not show it", (v) => {
    const message = rendered("http://h/users/${ v }", { v });
    expect(message).toMatch(/^permanent HTTP_URL_VALUE: the value of `v` cannot be used in the URL: it /u);
  });
});

describe("a segment of a URL with values in it", () => {
  it("DATA-9 is judged as a whole", () => {
    expect(rendered("http://h/${ v }${ w }/x", { v: ".", w: "." })).toMatch(/^permanent HTTP_URL_VALUE/u);
    expect(rendered("http://h/.${ v }", { v: "." })).toMatch(/^permanent HTTP_URL_VALUE/u);
    expect(rendered("http://h/%2e${ v }?x", { v: "." })).toMatch(/^permanent HTTP_URL_VALUE/u);
    expect(rendered("http://h/v${ v }", { v: "1..2" })).toBe("http://h/v1..2");
    expect(rendered("http://h/a/../b/${ v }", { v: "x" })).toBe("http://h/a/../b/x");
  });

  it.each([
    "http://h/users/${ v }",
    "http://h/users/${ v }/all",
    "http://h/users/${ v }${ v }?x=1",
    "http://h/${ v }#x",
  ])("DATA-9 a value that leaves a segment of %s empty is refused for good", (url) => {
    for (const v of ["", null])
      expect(rendered(url, { v })).toBe(
        "permanent HTTP_URL_VALUE: the value of `v` cannot be used in the URL: it is empty, so the URL would name another resource",
      );
    expect(rendered(url, {})).toMatch(/^permanent HTTP_URL_VALUE/u);
  });

  it("DATA-9 an empty value or a null is allowed beside other characters of a segment, and in a query", () => {
    expect(rendered("http://h/users${ v }//x?q=${ v }&r=${ w }#${ w }", { v: "", w: null })).toBe(
      "http://h/users//x?q=&r=#",
    );
  });

  it("DATA-9 whatever the values are, host, number of segments and keys of the query stay as they are written", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (v, w) => {
        const text = rendered("https://api.example.com:8443/users/${ v }/keys?first=1&q=${ w }", { v, w });
        if (text.startsWith("permanent HTTP_URL_VALUE")) return;
        // The kernel has no URL parser; the form of the text tells the same.
        expect(text).toMatch(/^https:\/\/api\.example\.com:8443\/users\/[\w%.~-]+\/keys\?first=1&q=[\w%.~-]*$/u);
      }),
    );
  });
});
