// `docs/rulings.md` has every ruling that the repository cites, each once.

import { expect, it } from "vitest";
import { codeFiles, markdownFiles, readText } from "./repository.ts";

const CITED = /\brulings? (\d+)(?: (?:and|to) (\d+))?/giu;
const ROW = /^\| (\d+) \|/gmu;

const written = [...readText("docs/rulings.md").matchAll(ROW)].map(([, number]) => Number(number));

function citedIn(file: string): readonly string[] {
  return [...readText(file).matchAll(CITED)]
    .flatMap(([, ...numbers]) => numbers.filter((number) => number !== undefined).map(Number))
    .filter((number) => !written.includes(number))
    .map((number) => `${file}: ruling ${number}`);
}

it("no ruling is written twice", () => {
  expect(written.filter((number, index) => written.indexOf(number) !== index)).toEqual([]);
});

it("every ruling that is cited is written down", () => {
  expect([...codeFiles(), ...markdownFiles()].flatMap(citedIn)).toEqual([]);
});
