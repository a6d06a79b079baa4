import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaKeys } from "./effects/schema-keys.ts";

function read(name: string): string {
  return readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
}

describe("the documents", () => {
  it("CODE-13 have every key of the configuration with its default, its values and its effect", () => {
    const rows = read("reference/coding-agents.md").matchAll(/^\| `([a-z_.[\]]+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$/gmu);
    expect(Array.from(rows, ([, key]) => key!).toSorted()).toEqual([...schemaKeys()].toSorted());
  });

  it("CODE-13 name every key in the guide", () => {
    const guide = read("guides/code.md");
    expect(schemaKeys().filter((key) => !guide.includes(key.split(".").at(-1)!))).toEqual([]);
  });
});
