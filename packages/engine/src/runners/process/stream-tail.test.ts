import { describe, expect, it } from "vitest";
import { StreamTail } from "./stream-tail.ts";

function makeTail(limit: number, ...chunks: readonly (string | readonly number[])[]): StreamTail {
  const tail = new StreamTail(limit);
  for (const chunk of chunks) tail.write(Buffer.from(chunk as string));
  return tail;
}

describe("the tail of a stream", () => {
  it("T1 is all of it while it is short", () => {
    expect(makeTail(8).text()).toBe("");
    expect(makeTail(8, "", "abc", "", "defgh").text()).toBe("abcdefgh");
    expect(makeTail(8, "abc", "defgh").isCut).toBe(false);
  });

  it("T1 is the last of it when it is long, whatever the pieces are", () => {
    const text = Array.from({ length: 5000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
    for (const size of [1, 3, 1000, 1024, 1500, 1501, 4999, 5000]) {
      const pieces = Array.from({ length: Math.ceil(5000 / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
      const tail = makeTail(1500, ...pieces);
      expect([size, tail.isCut, tail.text()]).toEqual([size, true, text.slice(-1500)]);
    }
  });

  it("T2 begins with a whole character when it was cut", () => {
    expect(makeTail(4, "xé€").text()).toBe("€");
    expect(makeTail(5, "xé€").text()).toBe("é€");
    expect(makeTail(3, "x😀").text()).toBe("");
    expect(makeTail(6, "😀😀").text()).toBe("😀");
  });

  it("T2 begins with a whole line when it was cut and one begins soon", () => {
    expect(makeTail(10, "first\nsecond\nthird\n").text()).toBe("third\n");
    expect(makeTail(5, "first\nsecond").text()).toBe("econd");
  });

  it("holds replacement characters for what is no UTF-8, and whole characters over the borders of chunks", () => {
    expect(makeTail(99, [0x61, 0xff, 0xc3], "b").text()).toBe("a\ufffd\ufffdb");
    expect(makeTail(99, [0xe2], [0x82], [0xac]).text()).toBe("€");
    expect(makeTail(99, [0xe2, 0x82]).text()).toBe("\ufffd");
  });
});
