// Property tests of masking for any secrets in any surroundings. The oracle decodes the output and does not use the
// variants.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "@segno/kernel";
import { Masker } from "./masker.ts";

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abcXYZ0189+/=_-.&%<>'\"\\ *".split("")) },
  { weight: 2, arbitrary: fc.constantFrom("é", "e\u0301", "語", "😀", "\n", "\t", "\u0001") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
);
const written = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(character, { minLength, maxLength }).map((characters) => characters.join(""));

/** Seven characters, six of them letters or digits that no surroundings contain, so that no match occurs by chance. */
const secret = fc
  .tuple(written(0, 10), fc.stringMatching(/^[GHJKQ][2-7]{6}[PRSTVW]$/u), written(0, 10))
  .map((parts) => parts.join("").trim());

type Encoding = (text: string) => string;

const inJson: Encoding = (text) => JSON.stringify(text).slice(1, -1);
const asciiJson: Encoding = (text) =>
  inJson(text).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  raw: (text) => text,
  json: inJson,
  jsonTwice: (text) => inJson(inJson(text)),
  jsonWithSolidus: (text) => inJson(text).replaceAll("/", "\\/"),
  url: encodeURIComponent,
  urlInLowerCase: (text) => encodeURIComponent(text).replaceAll(/%../gu, (digits) => digits.toLowerCase()),
  form: (text) => new URLSearchParams({ "": text }).toString().slice(1),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64AfterOne: (text) => Buffer.from(`:${text}:`).toString("base64"),
  base64AfterTwo: (text) => Buffer.from(`u:${text}é`).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  hexInUpperCase: (text) => Buffer.from(text).toString("hex").toUpperCase(),
  composed: (text) => text.normalize("NFC"),
  decomposed: (text) => text.normalize("NFD"),
};
/** Escapes of these encodings stand for characters, so a text must not be split inside one. */
const encoding = fc.constantFrom(...Object.values(ENCODINGS), asciiJson);

/** Every text that a string may represent: itself, and each decoding of it. */
function* readings(text: string): Generator<string> {
  yield text;
  const once = unescaped(text);
  yield once;
  yield unescaped(once);
  yield percentDecoded(text);
  yield percentDecoded(text.replaceAll("+", " "));
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{4,}/gu))
    for (const skipped of [0, 1, 2, 3]) yield Buffer.from(run.slice(skipped), "base64").toString("latin1");
  for (const [run] of text.matchAll(/[0-9A-Fa-f]{4,}/gu))
    for (const skipped of [0, 1]) yield Buffer.from(run.slice(skipped), "hex").toString("latin1");
}

function unescaped(text: string): string {
  const short: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
  return text.replaceAll(/\\(?:u([0-9A-Fa-f]{4})|(.))/gsu, (_, digits: string | undefined, other: string) =>
    digits === undefined ? (short[other] ?? other) : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function percentDecoded(text: string): string {
  const bytes = Buffer.from(text).toString("latin1");
  const decoded = bytes.replaceAll(/%([0-9A-Fa-f]{2})/gu, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(decoded, "latin1").toString();
}

/** Whether any reading contains the secret, as characters or as bytes. */
function shows(text: string, value: string): boolean {
  const forms = [value, value.normalize("NFC"), value.normalize("NFD")];
  const sought = forms.flatMap((form) => [form, Buffer.from(form).toString("latin1")]);
  return [...readings(text)].some((reading) => sought.some((each) => reading.includes(each)));
}

function makeMasker(values: readonly string[]): Masker {
  const masker = new Masker();
  for (const value of values) masker.add(value);
  return masker;
}

/** Secrets, and a text that contains each of them in some encoding, between other content. */
const secretsInText = fc
  .record({
    secrets: fc.array(secret, { minLength: 1, maxLength: 4 }),
    around: fc.array(written(0, 12), { maxLength: 8 }),
  })
  .chain(({ secrets, around }) =>
    fc
      .array(fc.tuple(fc.constantFrom(...secrets), encoding), { minLength: 1, maxLength: 6 })
      .map((uses) => uses.map(([value, encode]) => encode(value)))
      .chain((encoded) =>
        fc.shuffledSubarray([...encoded, ...around], { minLength: 1, maxLength: encoded.length + around.length }),
      )
      .map((parts) => ({ secrets, text: parts.join("") })),
  );

function inChunks(masker: Masker, bytes: Uint8Array, cuts: readonly number[]): Buffer {
  const stream = masker.stream();
  const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other);
  const chunks = [0, ...places].map((from, each) => bytes.subarray(from, places[each]));
  return Buffer.concat([...chunks.map((chunk) => stream.write(chunk)), stream.end()]);
}

describe("the judge", () => {
  it("sees a secret in each encoding, so that its silence means something", () => {
    const value = `G234567P/"ö\\ +é\n語`;
    for (const [name, encode] of Object.entries(ENCODINGS))
      expect([name, shows(`x ${encode(value)}`, value)]).toEqual([name, true]);
    expect(shows("G234567P/", value)).toBe(false);
  });
});

describe("whatever the secrets and their surroundings are", () => {
  it("DATA-9 no reading of a masked text shows a secret", () => {
    fc.assert(
      fc.property(secretsInText, ({ secrets, text }) => {
        const masked = makeMasker(secrets).text(text);
        for (const value of secrets) expect(shows(masked, value)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("DATA-9 a stream, cut anywhere, says what the whole says", () => {
    fc.assert(
      fc.property(secretsInText, fc.array(fc.nat(), { maxLength: 12 }), ({ secrets, text }, cuts) => {
        const masker = makeMasker(secrets);
        expect(inChunks(masker, Buffer.from(text), cuts).toString()).toBe(masker.text(text));
      }),
      { numRuns: 500 },
    );
  });

  it("DATA-9 a stream that comes byte by byte says what the whole says", () => {
    fc.assert(
      fc.property(secretsInText, ({ secrets, text }) => {
        const masker = makeMasker(secrets);
        const bytes = Buffer.from(text);
        expect(inChunks(masker, bytes, [...bytes.keys()]).toString()).toBe(masker.text(text));
      }),
    );
  });

  it("M3 masking what is masked changes nothing", () => {
    fc.assert(
      fc.property(secretsInText, ({ secrets, text }) => {
        const masker = makeMasker(secrets);
        expect(masker.text(masker.text(text))).toBe(masker.text(text));
      }),
      { numRuns: 500 },
    );
  });

  it("M3 also not where secrets are made of few letters and asterisks", () => {
    const starry = fc
      .array(fc.constantFrom("a", "b", "*"), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(starry, { maxLength: 5 }), fc.array(starry, { maxLength: 12 }), (secrets, texts) => {
        const masker = makeMasker(secrets);
        const masked = masker.text(texts.join(""));
        expect(masker.text(masked)).toBe(masked);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what holds no secret", () => {
  const masker = makeMasker(["G234567P", "an other\nsecret of lines", "***starry***"]);

  it("DATA-9 is given back as it was: text, also with half characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(masker.text(text)).toBe(text);
      }),
    );
    expect(masker.text("\uD83D G234567P \uDE00")).toBe("\uD83D *** \uDE00");
  });

  it("DATA-9 is given back as it was: bytes that are no text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 6 }), (bytes, cuts) => {
        expect(inChunks(masker, bytes, cuts)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("M4 is given back as it was: JSON, the same object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(masker.json(json as Json)).toBe(json);
      }),
    );
  });
});

describe("masked JSON", () => {
  it("DATA-9 M3 M4 shows no secret, keeps its shape, and stays the same when it is masked again", () => {
    const word = fc.oneof(fc.constantFrom("G234567P", "xG234567P", "G234567PG234567P", "***", "*** (2)"), fc.string());
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { depthSize: "small" },
        word,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("json"), { maxLength: 4 }),
        fc.dictionary(word, tie("json"), { maxKeys: 6 }),
      ),
    }));
    const masker = makeMasker(["G234567P"]);
    fc.assert(
      fc.property(json, (value) => {
        const masked = masker.json(value);
        expect(JSON.stringify(masked)).not.toContain("G234567P");
        expect(toShape(masked)).toEqual(toShape(value));
        expect(masker.json(masked)).toBe(masked);
      }),
    );
  });
});

/** The structure without strings and keys. */
function toShape(json: Json): unknown {
  if (typeof json === "string") return "text";
  if (typeof json !== "object" || json === null) return json;
  const values = Object.values(json as Record<string, Json>).map(toShape);
  if (Array.isArray(json)) return values;
  return { size: values.length, values: values.map((value) => JSON.stringify(value)).toSorted() };
}
