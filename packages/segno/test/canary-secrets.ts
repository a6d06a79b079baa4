// Secrets that can be told from everything else, and all the ways in which they could be written down. The list is made
// here, by itself: whoever masks has another one, and the two must agree.

import { createHash } from "node:crypto";

/** One of each kind that is hard in its own way. */
export const SECRETS: Readonly<Record<string, string>> = {
  plain: "canary-plain-Zx81kQ72vLm9",
  quoted: `canary "quoted" \\back\\slash 'single' {"k": [1]} $HOME \`x\``,
  lines: [
    "-----BEGIN CANARY KEY-----",
    "MIICanaryQ0FOQVJZLWxpbmUtb25lLW9mLXRoZS1rZXktWng4MWtRNzJ2TG05QUJ",
    "DREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h",
    "canary/last+line==",
    "-----END CANARY KEY-----",
    "",
  ].join("\n"),
  wide: "canary-пароль-🐤🐤-秘密の鍵",
  url: "canary/url+q?a=b&c=d#f%20=~!*'()",
};

/** As environment variables, where the command looks for secrets. */
export const SECRET_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SECRETS).map(([name, value]) => [`SEGNO_SECRET_${name.toUpperCase()}`, value]),
);

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const SHORTEST = 8;

interface Form {
  readonly name: string;
  readonly text: string;
}

/** The secret, and each of its lines that is a secret by itself. */
function listParts(value: string): readonly string[] {
  const lines = value.split("\n").filter((line) => line.length >= SHORTEST && !line.startsWith("-----"));
  return [...new Set([value, ...lines])];
}

function listForms(name: string, part: string): readonly Form[] {
  const bytes = Buffer.from(part);
  const half = Math.ceil(part.length / 2);
  const texts: Readonly<Record<string, string>> = {
    raw: part,
    "first half": part.slice(0, half),
    "second half": part.slice(half),
    "first half, JSON": JSON.stringify(part.slice(0, half)).slice(1, -1),
    "second half, JSON": JSON.stringify(part.slice(half)).slice(1, -1),
    JSON: JSON.stringify(part).slice(1, -1),
    "JSON in JSON": JSON.stringify(JSON.stringify(part)).slice(3, -3),
    "JSON in ASCII": ascii(JSON.stringify(part).slice(1, -1)),
    URL: encodeURIComponent(part),
    form: new URLSearchParams([["", part]]).toString().slice(1),
    hex: bytes.toString("hex"),
    HEX: bytes.toString("hex").toUpperCase(),
    ...base64Texts(bytes),
  };
  return Object.entries(texts).map(([kind, text]) => ({ name: `${name} (${kind})`, text }));
}

function ascii(text: string): string {
  return text.replaceAll(/[^\p{ASCII}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** The base64 text of these bytes that does not depend on the bytes around them, for each offset; and with line breaks. */
function base64Texts(bytes: Buffer): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const offset of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    texts[`base64 ${offset}`] = core;
    texts[`base64url ${offset}`] = core.replaceAll("+", "-").replaceAll("/", "_");
  }
  for (const width of [64, 76])
    for (const [line, text] of (bytes.toString("base64").match(new RegExp(`.{${width}}`, "gu")) ?? []).entries())
      texts[`base64 line ${line} of ${width}`] = text;
  return texts;
}

const FORMS: readonly Form[] = Object.entries(SECRETS)
  .flatMap(([name, value]) => listParts(value).flatMap((part) => listForms(name, part)))
  .filter(({ text }) => text.length >= SHORTEST);

/** Every form of a secret that is somewhere in these bytes. */
export function hitsIn(place: string, content: string | Buffer): readonly string[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return FORMS.filter(({ text }) => bytes.includes(text)).map(({ name }) => `${place}: ${name}`);
}
