import { describe, expect, it } from "vitest";
import { boundedLines } from "./bounded-lines.ts";

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function collect(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function linesIn(bytesMax: number, ...texts: readonly string[]): Promise<readonly string[]> {
  return collect(boundedLines(chunks(...texts), bytesMax));
}

describe("boundedLines", () => {
  it.each([
    [["a\nb\n"], ["a", "b"]],
    [["a\r\nb"], ["a", "b"]],
    [
      ["a", "b\nc", "\n\nd"],
      ["ab", "c", "", "d"],
    ],
    [[""], []],
  ])("gives the lines of %j, however they are cut", async (texts, lines) => {
    expect(await linesIn(10, ...texts)).toEqual(lines);
  });

  it("decodes a character whole that comes in two chunks", async () => {
    const bytes = Buffer.from("é\n");
    const input = (async function* (): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 1);
      yield bytes.subarray(1);
    })();
    expect(await collect(boundedLines(input, 10))).toEqual(["é"]);
  });

  it.each([[["12345678901\n"]], [["123456", "789012"]]])(
    "CONTRACT-9 refuses a line beyond the bound: %j",
    async (texts) => {
      await expect(linesIn(10, ...texts)).rejects.toMatchObject({ code: "INPUT_UNREADABLE" });
    },
  );
});
