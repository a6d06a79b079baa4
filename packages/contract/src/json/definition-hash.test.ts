import type { Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { definitionHash } from "./definition-hash.ts";
import { loadContract } from "../load/load-contract.ts";

describe("the hash of a definition", () => {
  it("CONTRACT-8 is sha256 over canonical JSON, in hexadecimal", () => {
    // printf '{"name":"w","steps":[]}' | sha256sum
    expect(definitionHash({ steps: [], name: "w" })).toBe(
      "sha256:52f264cc0d0b3457139d4c5c51626f10320680bb342069374ae0fa5859ae9e43",
    );
  });

  it("CONTRACT-8 does not depend on the order of keys or on the way it is written", () => {
    const one = loadContract("name: w\nversion: v1\nsteps: [{ id: a, run: x, timeout: 60s }]");
    const other = loadContract("steps:\n- timeout: 1m\n  run: x\n  id: a\nversion: v1\nname: w\n");
    expect(definitionHash(one)).toBe(definitionHash(other));
  });

  it("CONTRACT-8 depends on everything that a definition says, the order of lists included", () => {
    const texts = [
      "[{ id: a, run: x }, { id: b, run: x }]",
      "[{ id: b, run: x }, { id: a, run: x }]",
      "[{ id: a, run: x }, { id: b, run: y }]",
      "[{ id: a, run: x }, { id: b, run: x, retry: 3 }]",
    ];
    const hashes = texts.map((steps) => definitionHash(loadContract(`name: w\nsteps: ${steps}`)));
    expect(new Set(hashes).size).toBe(texts.length);
  });

  it("CONTRACT-8 is the same for a definition that code wrote", () => {
    const written: Definition = loadContract("name: w\nsteps: [{ id: a, run: x }]");
    expect(definitionHash(structuredClone(written))).toBe(definitionHash(written));
  });
});
