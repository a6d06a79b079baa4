import { describe, expect, it } from "vitest";
import { Masker } from "./masker.ts";
import type { StreamMasker } from "./stream-masker.ts";

function makeMasker(...values: readonly string[]): Masker {
  const masker = new Masker();
  for (const value of values) masker.add(value);
  return masker;
}

function write(stream: StreamMasker, text: string): string {
  return Buffer.from(stream.write(Buffer.from(text))).toString();
}

function end(stream: StreamMasker): string {
  return Buffer.from(stream.end()).toString();
}

describe("a masked stream", () => {
  it("DATA-9 C2 holds back what may be the beginning of a secret, and nothing else", () => {
    const stream = makeMasker("hunter22").stream();
    expect(write(stream, "the password is hun")).toBe("the password is ");
    expect(write(stream, "ter2")).toBe("");
    expect(write(stream, "2, not hunter3")).toBe("***, not hunter3");
    expect(write(stream, " but hunter2")).toBe(" but ");
    expect(end(stream)).toBe("hunter2");
  });

  it("C1 M2 goes on with a mask that is out already when another secret overlaps or touches it", () => {
    const masker = makeMasker("abcdefgh", "efghijkl", "abcdefghXYZ");
    const overlapping = masker.stream();
    expect([write(overlapping, "<abcdefgh"), write(overlapping, "ijk"), write(overlapping, "l>")]).toEqual([
      "<***",
      "",
      ">",
    ]);
    const touching = masker.stream();
    expect([write(touching, "abcdefgh"), write(touching, "abcdefgh"), write(touching, "XYZ!")]).toEqual([
      "***",
      "",
      "!",
    ]);
    const apart = masker.stream();
    expect([write(apart, "abcdefghij"), write(apart, " abcdefgh"), end(apart)]).toEqual(["***", "ij ***", ""]);
  });

  it("C3 gives back the chunk itself while there are no secrets, and while nothing looks like one", () => {
    const chunk = Buffer.from("what goes by");
    expect(new Masker().stream().write(chunk)).toBe(chunk);
    const passed = makeMasker("00000000").stream().write(chunk);
    expect([passed.buffer, passed.byteOffset, passed.length]).toEqual([chunk.buffer, chunk.byteOffset, chunk.length]);
  });

  it("C3 keeps nothing of a chunk that belongs to whoever wrote it", () => {
    const stream = makeMasker("hunter22").stream();
    const chunk = Buffer.from("hunter2!".slice(0, 7));
    stream.write(chunk);
    chunk.fill("x");
    expect(end(stream)).toBe("hunter2");
  });

  it("DATA-9 passes bytes that are no text as they are, and masks between them", () => {
    const stream = makeMasker("gehéimé").stream();
    const secret = Buffer.from("gehéimé");
    const bytes = Buffer.concat([Buffer.from([0, 255, 0xc3]), secret, Buffer.from([0xc3, 0, 0x80])]);
    const out = Array.from(bytes, (_, at) => stream.write(bytes.subarray(at, at + 1)));
    expect(Buffer.concat([...out, stream.end()]).toString("latin1")).toBe("\0\xff\xc3***\xc3\0\x80");
  });

  it("C1 begins anew after its end", () => {
    const stream = makeMasker("hunter22").stream();
    expect([write(stream, "hunter22"), end(stream), write(stream, "hunter22"), end(stream)]).toEqual([
      "***",
      "",
      "***",
      "",
    ]);
    expect([write(stream, "hunt"), end(stream), write(stream, "er22"), end(stream)]).toEqual(["", "hunt", "er22", ""]);
  });
});

describe("a secret that becomes known while a stream goes on", () => {
  it("C4 is masked from then on, also when it has begun already", () => {
    const masker = new Masker();
    const stream = masker.stream();
    expect(write(stream, "a second-secret, ")).toBe("a second-secret, ");
    masker.add("first-secret");
    expect(write(stream, "a first-")).toBe("a ");
    masker.add("second-secret");
    expect(write(stream, "secret, a second-")).toBe("***, a ");
    expect(write(stream, "secret")).toBe("***");
    expect(end(stream)).toBe("");
  });

  it("C4 is masked where it is held back for another reason, also at the end", () => {
    const masker = makeMasker("<abcdefgh-and-more>");
    const stream = masker.stream();
    expect(write(stream, "<abcdefgh")).toBe("");
    masker.add("bcdefg");
    expect(end(stream)).toBe("<a***h");
  });

  it("C4 does not forget what it was about to find when another secret becomes known", () => {
    const masker = makeMasker("abcdef", "abcdefUVWXYZ");
    const stream = masker.stream();
    expect(write(stream, "<abcdefUV")).toBe("<***");
    masker.add("something else");
    expect(write(stream, "WXYZ>")).toBe(">");
  });
});
