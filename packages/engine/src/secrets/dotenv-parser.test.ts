import * as fc from "fast-check";
import { SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { parseDotenv } from "./dotenv-parser.ts";

function parsed(...lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(parseDotenv(lines.join("\n"), "`secrets.env`"));
}

describe("lines of secrets", () => {
  it("DATA-9 are names and values, with or without `export` and space", () => {
    expect(parsed("A=one", " export  B = two words ", "\tC=three\t", "d-e.f=4", "A=last")).toEqual({
      A: "last",
      B: "two words",
      C: "three",
      "d-e.f": "4",
    });
  });

  it("DATA-9 may be empty, or comments, or have a comment behind the value", () => {
    expect(parsed("", "# A=1", "  # B=2", "C=3 # three", "D=4#5", "E=#6", "F='7' # seven", "G= # none")).toEqual({
      C: "3",
      D: "4#5",
      E: "#6",
      F: "7",
    });
  });

  it("DATA-9 end in either way, and may begin with a byte order mark", () => {
    expect(parsed("\uFEFFA=1\r", "B='2'\r", 'C="3\r', '4"\r', "")).toEqual({ A: "1", B: "2", C: "3\n4" });
  });

  it("DATA-9 are literal in single quotes, and have escapes in double ones", () => {
    expect(
      parsed(String.raw`A='a\n"b" # c'`, String.raw`B="a\n\t\\\"\$x 'b' \d # c"`, String.raw`C=a\n`, "D=it's"),
    ).toEqual({
      A: String.raw`a\n"b" # c`,
      B: "a\n\t\\\"$x 'b' \\d # c",
      C: String.raw`a\n`,
      D: "it's",
    });
  });

  it("DATA-9 may have several lines of text in quotes", () => {
    expect(parsed('A="one', "B=two", '"', "C='", "x'")).toEqual({ A: "one\nB=two\n", C: "\nx" });
  });

  it("DATA-9 without a value give no secret, also where one was given before", () => {
    expect(parsed("A=", 'B=""', "C=1", "C=''")).toEqual({});
  });
});

describe("lines that are none of secrets", () => {
  it.each([
    ["A=1\nhunter22", "line 2 of `secrets.env` is not of the form `NAME=value`"],
    ["=hunter22", "line 1 of `secrets.env` is not of the form `NAME=value`"],
    ["1A=hunter22", "line 1 of `secrets.env` is not of the form `NAME=value`"],
    ['{"a": "hunter22"}', "line 1 of `secrets.env` is not of the form `NAME=value`"],
    ['A="x\ny"\n\nB="hunter22', "line 4 of `secrets.env` has a quote that is not closed"],
    ["A='x\ny' hunter22", "line 2 of `secrets.env` continues after its closing quote"],
    ["__proto__=hunter22", "line 1 of `secrets.env` sets `__proto__`, which is not a valid name of a secret"],
    ["constructor=hunter22", "line 1 of `secrets.env` sets `constructor`, which is not a valid name of a secret"],
  ])("SECRET_INVALID are refused by their number, and not shown: %j", (text, message) => {
    expect(() => parseDotenv(text, "`secrets.env`")).toThrow(
      expect.objectContaining({ code: "SECRET_INVALID", message }),
    );
  });

  it("SECRET_INVALID whatever a file holds, it is read or refused", () => {
    const piece = fc.oneof(
      fc.constantFrom("A", "=", '"', "'", "\\", "\n", "#", " ", "export ", "__proto__"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          for (const value of parseDotenv(pieces.join(""), "x").values()) expect(value).not.toBe("");
        } catch (error) {
          expect(error).toBeInstanceOf(SegnoError);
        }
      }),
    );
  });

  it("DATA-9 any value can be written in double quotes", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary" }), (value) => {
        const quoted = value.replaceAll(/[\\"]/gu, "\\$&").replaceAll("\r", "\\r").replaceAll("\n", "\\n");
        expect(parsed(`A="${quoted}"`)).toEqual({ A: value });
      }),
    );
  });
});
