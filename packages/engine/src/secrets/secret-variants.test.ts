// Tests variants with the encoders that programs really use.

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { Masker } from "./masker.ts";
import { isMaskable, secretVariants } from "./secret-variants.ts";

const ODD = `p&ss/"w'<ö>\\ +\t語😀$x`;

function has(value: string, variant: string): boolean {
  return secretVariants(value).has(variant);
}

describe("a secret is looked for", () => {
  it("DATA-9 as it is, and in JSON once and twice", () => {
    const json = JSON.stringify(ODD).slice(1, -1);
    expect(has(ODD, ODD)).toBe(true);
    expect(has(ODD, json)).toBe(true);
    expect(has(ODD, JSON.stringify(json).slice(1, -1))).toBe(true);
  });

  it.each([
    ["PHP", `p&ss\\/\\"w'<\\u00f6>\\\\ +\\t\\u8a9e\\ud83d\\ude00$x`],
    ["Python", `p&ss/\\"w'<\\u00f6>\\\\ +\\t\\u8a9e\\ud83d\\ude00$x`],
    ["Go", `p\\u0026ss/\\"w'\\u003cö\\u003e\\\\ +\\t語😀$x`],
    [".NET", `p\\u0026ss/\\u0022w\\u0027\\u003C\\u00F6\\u003E\\\\ \\u002B\\t\\u8A9E\\uD83D\\uDE00$x`],
  ])("DATA-9 in JSON as %s writes it", (_, variant) => {
    expect(JSON.parse(`"${variant}"`)).toBe(ODD);
    expect(has(ODD, variant)).toBe(true);
    expect(has(ODD, JSON.stringify(variant).slice(1, -1))).toBe(true);
  });

  it("DATA-9 in URLs and forms, with digits in either case", () => {
    const component = encodeURIComponent(ODD);
    const form = new URLSearchParams({ "": ODD }).toString().slice(1);
    for (const variant of [component, form, encodeURI(ODD)]) {
      expect(has(ODD, variant)).toBe(true);
      expect(
        has(
          ODD,
          variant.replaceAll(/%../gu, (digits) => digits.toLowerCase()),
        ),
      ).toBe(true);
    }
  });

  it("DATA-9 as hexadecimal digits in either case", () => {
    const hex = Buffer.from(ODD).toString("hex");
    expect([has(ODD, hex), has(ODD, hex.toUpperCase())]).toEqual([true, true]);
  });

  it("DATA-9 in XML and HTML", () => {
    const variant = ODD.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    expect(has(ODD, variant)).toBe(true);
    expect(has(ODD, variant.replaceAll('"', "&quot;").replaceAll("'", "&#39;"))).toBe(true);
  });

  it("DATA-9 as Node prints it inside of an object", () => {
    for (const value of [ODD, "it's so secret\n", 'say "secret"\\n', "a\tquiet `one`"])
      expect(has(value, inspect({ value }, { breakLength: Infinity }).slice(10, -3))).toBe(true);
  });

  it("DATA-9 as shells quote it, and without the quotes that they took away", () => {
    for (const variant of [
      "it'\\''s \"my\" $ecret",
      'it\\\'s\\ \\"my\\"\\ \\$ecret',
      'it\'s \\"my\\" \\$ecret',
      "it's my $ecret",
    ])
      expect(has(`it's "my" $ecret`, variant)).toBe(true);
  });

  it("DATA-9 in each form that Unicode knows for the same text", () => {
    const [composed, decomposed] = ["gehe\u00efm\u00e9", "gehei\u0308me\u0301"];
    for (const value of [composed, decomposed])
      for (const form of [composed, decomposed]) {
        expect(has(value, form)).toBe(true);
        expect(has(value, Buffer.from(form).toString("hex"))).toBe(true);
      }
  });
});

describe("a secret in base64", () => {
  const value = "??>>secret~~ÿÿ";

  it.each([0, 1, 2])(
    "DATA-9 is looked for %i bytes into a group, in both alphabets, whatever stands around it",
    (offset) => {
      for (const [before, behind] of [
        ["\0\0\0", "\0"],
        ["ÿÿÿ", "ÿ"],
        ["abc", ""],
      ] as const) {
        const bytes = Buffer.concat([
          Buffer.from(before, "latin1"),
          Buffer.from("xy").subarray(0, offset),
          Buffer.from(value),
          Buffer.from(behind, "latin1"),
        ]);
        for (const alphabet of ["base64", "base64url"] as const) {
          const encoded = bytes.toString(alphabet);
          const found = [...secretVariants(value)].filter((variant) => encoded.includes(variant));
          const longest = Math.max(...found.map(({ length }) => length));
          const whole = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6) - Math.ceil((offset * 8) / 6);
          expect(longest).toBeGreaterThanOrEqual(whole);
        }
      }
    },
  );

  it("DATA-9 is looked for escaped in turn, as it stands in a URL or in JSON", () => {
    const encoded = Buffer.from(value).toString("base64");
    expect(encoded).toMatch(/\+.*\/|\/.*\+/u);
    expect(has(value, encodeURIComponent(encoded))).toBe(true);
    expect(has(value, encoded.replaceAll("/", "\\/"))).toBe(true);
  });

  it.each([64, 76])("DATA-9 is looked for in lines of %i characters", (length) => {
    for (const size of [60, 97, 114, 115, 116, 300]) {
      const long = Array.from({ length: size }, (_, at) => String.fromCharCode(33 + ((at * 7) % 90))).join("");
      const lines = Buffer.from(`${long}\n`)
        .toString("base64")
        .match(new RegExp(`.{1,${length}}`, "gu"))!;
      const masker = new Masker();
      masker.add(long);
      const left = masker.text(lines.join("\n")).replaceAll("***", "").replaceAll("\n", "");
      expect(left.length).toBeLessThan(8);
    }
  });
});

describe("a secret of several lines", () => {
  const value = "  first line\n{\nsecond line\nshort\n";

  it("DATA-9 is looked for as a whole and line by line, with either kind of line break", () => {
    for (const variant of [value, value.replaceAll("\n", "\r\n"), "first line", "second line"])
      expect(has(value, variant)).toBe(true);
    expect(has(value, Buffer.from("second line").toString("hex"))).toBe(true);
    expect(has(value.replaceAll("\n", "\r\n"), value)).toBe(true);
  });

  it("S1 is not looked for by lines that are too short", () => {
    for (const variant of ["{", "short"]) expect(has(value, variant)).toBe(false);
    expect(Math.min(...Array.from(secretVariants(value), ({ length }) => length))).toBeGreaterThanOrEqual(6);
  });

  it("DATA-9 that is a key is not looked for by the lines around it, which all keys have", () => {
    const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw";
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----\n`;
    expect([has(key, body), has(key, key), has(key, "-----BEGIN RSA PRIVATE KEY-----")]).toEqual([true, true, false]);
  });

  it("DATA-9 that is long is looked for line by line in every encoding", () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at} of a secret/${"x".repeat(at)}`);
    const long = lines.join("\n");
    let json = JSON.stringify(long);
    for (const variant of [...secretVariants(long)].toSorted((one, other) => other.length - one.length))
      json = json.replaceAll(variant, "");
    expect(json).toBe(`"${"\\n".repeat(59)}"`);
  });
});

describe("a secret that is a JSON document", () => {
  const value = JSON.stringify(
    { id: 123, uname: "john-doe", password: 'foo"bar', list: ["-", { deep: "a\nsecond one" }] },
    null,
    2,
  );

  it("DATA-9 is looked for by the texts in it, as `jq -r` prints them", () => {
    for (const variant of ["john-doe", 'foo"bar', "a\nsecond one", "second one"])
      expect(has(value, variant)).toBe(true);
    expect(has(value, "password")).toBe(false);
  });

  it("DATA-9 is looked for by its lines, also after a shell took away the quotes", () => {
    for (const variant of ['"uname": "john-doe",', "uname: john-doe,"]) expect(has(value, variant)).toBe(true);
    expect([has(value, "{"), has(value, "}")]).toEqual([false, false]);
  });

  it("DATA-9 is looked for as it is when it only looks like one, or is deeper than anybody can read", () => {
    for (const odd of ['{"a": "secret one"', "[secret]", `${"[".repeat(20_000)}"secret"${"]".repeat(10_000)}`])
      expect(has(odd, odd)).toBe(true);
  });
});

describe("what is too short", () => {
  it("S1 is looked for in no way: fewer than six characters, not counting space around them", () => {
    for (const value of ["", "a", "12345", "  12345  ", "      ", "😀😀😀😀😀", "\n\n\n\n\n\n\n"]) {
      expect(isMaskable(value)).toBe(false);
      expect(secretVariants(value).size).toBe(0);
    }
    for (const value of ["123456", " 123456", "😀😀😀😀😀😀"]) expect(isMaskable(value)).toBe(true);
  });

  it("S2 is also what is mostly asterisks, since it looks like a mask", () => {
    for (const value of ["********", "abc***def", "*abcde*", "* * * * *"]) expect(isMaskable(value)).toBe(false);
    for (const value of ["*abcdef", "abcdef***", "a*b*c*d", "abc***abcdef"]) expect(isMaskable(value)).toBe(true);
    expect(has("ab***abcdef*", "abcdef")).toBe(true);
  });
});

describe("a secret in a buffer is looked for", () => {
  it("DATA-9 as Node prints its bytes, alone and inside of others", () => {
    const masker = new Masker();
    masker.add(ODD);
    expect(masker.text(inspect(Buffer.from(ODD)))).toBe("<Buffer ***>");
    expect(masker.text(inspect(Buffer.from(`a${ODD}b`)))).toBe("<Buffer 61 *** 62>");
    const long = "a1B2".repeat(20);
    masker.add(long);
    expect(masker.text(inspect(Buffer.from(long)))).toBe("<Buffer *** ... 30 more bytes>");
    const pairs = inspect(Buffer.from(ODD)).slice("<Buffer ".length, -1);
    expect(masker.text(pairs.toUpperCase())).toBe("***");
  });
});
