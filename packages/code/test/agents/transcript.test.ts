import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTranscript, Transcript } from "../../src/agents/transcript.ts";
import { AgentFolders } from "./agent-session.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const mask = (text: string): string => text.replaceAll(SECRET, "***");

/** Writes a text in chunks of this size and returns the transcript. */
async function transcribe(text: string, chunkBytes: number): Promise<string> {
  using folders = new AgentFolders();
  const path = join(folders.root, "transcript");
  const transcript = new Transcript(path, mask);
  const writer = transcript.writer();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) await writer.write(bytes.subarray(at, at + chunkBytes));
  await writer.end();
  await transcript.close();
  return readFileSync(path, "utf8");
}

describe("a transcript", () => {
  it("DATA-9 has no secret, wherever it is in a long line", async () => {
    for (const before of [65_520, 65_536, 81_900, 81_919, 131_000, 147_000]) {
      const text = `${"x".repeat(before)}${SECRET}${"y".repeat(100_000)}`;
      expect(await transcribe(text, 65_536)).toBe(`${mask(text)}\n`);
    }
  });

  it("DATA-9 has no secret in a line of nothing but secrets", async () => {
    const written = await transcribe(SECRET.repeat(10_000), 65_536);
    expect(written.replaceAll("***", "")).toBe("\n");
  });

  it("CODE-4 keeps characters whole where a long line is cut", async () => {
    const text = `x${"😀".repeat(100_000)}`;
    expect(await transcribe(text, 1000)).toBe(`${text}\n`);
  });

  it("CODE-4 is read in parts that end with a whole character", async () => {
    using folders = new AgentFolders();
    const path = join(folders.root, "transcript");
    const transcript = new Transcript(path);
    const writer = transcript.writer();
    const text = `xx${"zwölf€😀".repeat(200_000)}\n`;
    await writer.write(Buffer.from(text));
    await writer.end();
    await transcript.close();
    const parts: string[] = [];
    for (
      let output = await readTranscript(path, 0, true);
      ;
      output = await readTranscript(path, output.nextByte, true)
    ) {
      parts.push(output.text);
      if (output.isEnded) break;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join("")).toBe(text);
  });
});
