// The rules are numbered without gaps and each stands once.

import { describe, expect, it } from "vitest";

import { readText } from "./repository.ts";
import { ruleFamily, parseRules } from "./rules.ts";

const rules = parseRules(readText("docs/semantics.md"));

describe("docs/semantics.md", () => {
  it("numbers the rules of each family from 1, without gaps and in order", () => {
    const counts = new Map<string, number>();
    const expected = rules.map((rule) => {
      const family = ruleFamily(rule.id);
      const number = (counts.get(family) ?? 0) + 1;
      counts.set(family, number);
      return `${family}-${number}`;
    });
    expect(rules.map((rule) => rule.id)).toEqual(expected);
  });

  it("mentions only rules that exist", () => {
    const known = new Set(rules.map((rule) => rule.id));
    const families = new Set(rules.map((rule) => ruleFamily(rule.id)));
    const mentioned = [...readText("docs/semantics.md").matchAll(/\b[A-Z]+-\d+\b/gu)].map(([id]) => id);
    expect(mentioned.filter((id) => families.has(ruleFamily(id)) && !known.has(id))).toEqual([]);
  });
});
