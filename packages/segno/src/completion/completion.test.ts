// Completion on a small program of its own, without the real commands.

import { Argument, Command, Option } from "commander";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { candidatesAt } from "./candidates.ts";
import { lineWords } from "./line-words.ts";
import { locate, type CursorPosition } from "./cursor-position.ts";

function program(): Command {
  const root = new Command("tool").configureHelp({ showGlobalOptions: true }).option("--color <when>", "colours");
  root
    .command("paint")
    .description("paint something")
    .argument("<id>")
    .argument("[step]")
    .addOption(new Option("-s, --shape <kind>", "its shape").choices(["round", "square"]))
    .addOption(new Option("--secret", "not for everybody").hideHelp())
    .option("--db <file>", "where it is")
    .option("--note <text>", "anything");
  root.command("copy").argument("<file...>");
  root.command("speak").addArgument(new Argument("<language>").choices(["latin", "greek"]));
  root.command("go").argument("[folder]");
  root.command("mean").argument("<code>");
  root.command("ghost", { hidden: true });
  const store = root.command("store");
  store.command("check").description("check it");
  return root;
}

const findIndex = (...words: readonly string[]): CursorPosition => locate(program(), words).place;
const offered = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await candidatesAt(locate(program(), words))).words.map(({ word }) => word);

describe("a place in a command line", () => {
  it("P1 P2 is a verb at first, and below a verb that has verbs; hidden ones are hidden", async () => {
    expect(await offered("")).toEqual(["paint", "copy", "speak", "go", "mean", "store", "help"]);
    expect(await offered("s")).toEqual(["speak", "store"]);
    expect(await offered("store", "c")).toEqual(["check"]);
    expect(await offered("--color", "always", "pa")).toEqual(["paint"]);
    expect(await offered("unheard-of", "")).toEqual([]);
  });

  it("P1 is what an argument is called", () => {
    expect(findIndex("paint", "")).toMatchObject({ kind: "value", value: "execution" });
    expect(findIndex("paint", "x", "")).toMatchObject({ kind: "value", value: "step", given: { arguments: ["x"] } });
    expect(findIndex("paint", "x", "y", "")).toEqual({ kind: "unknown" });
    expect(findIndex("copy", "a", "b", "")).toMatchObject({ kind: "value", value: "file" });
    expect(findIndex("go", "")).toMatchObject({ kind: "value", value: "folder" });
    expect(findIndex("copy", "--", "-")).toMatchObject({ kind: "value", value: "file" });
  });

  it("counts no option and no value of an option as an argument", () => {
    expect(findIndex("paint", "--db", "x.db", "--note=a", "-s", "round", "id", "")).toMatchObject({
      value: "step",
      given: { arguments: ["id"], db: "x.db" },
    });
    expect(findIndex("paint", "--db=y.db", "")).toMatchObject({ value: "execution", given: { db: "y.db" } });
  });

  it("offers options of the verb and of the command, each once and none that is hidden", async () => {
    expect(await offered("paint", "--")).toEqual(["--shape", "--db", "--note", "--help", "--color"]);
    expect(await offered("paint", "-s", "round", "--note", "a", "--")).toEqual(["--db", "--help", "--color"]);
    expect(await offered("paint", "--sh")).toEqual(["--shape"]);
  });

  it("offers choices of options and arguments, also behind an equals sign", async () => {
    expect(await offered("paint", "--shape", "")).toEqual(["round", "square"]);
    expect(await offered("paint", "-s", "r")).toEqual(["round"]);
    expect(await offered("paint", "--shape=s")).toEqual(["--shape=square"]);
    expect(await offered("speak", "")).toEqual(["latin", "greek"]);
    expect(await offered("paint", "--note", "")).toEqual([]);
  });

  it("C2 leaves files and folders to the shell", async () => {
    expect(await candidatesAt(locate(program(), ["copy", ""]))).toEqual({ words: [], from: "files" });
    expect(await candidatesAt(locate(program(), ["go", ""]))).toEqual({ words: [], from: "folders" });
    expect(await candidatesAt(locate(program(), ["paint", "--db", ""]))).toEqual({ words: [], from: "files" });
  });

  it("knows the codes of errors", async () => {
    expect(await offered("mean", "DEPENDENCY_C")).toEqual(["DEPENDENCY_CYCLE"]);
  });
});

describe("a line that is being typed", () => {
  it.each([
    [" run rel", ["run", "rel"]],
    [" run ", ["run", ""]],
    ["", [""]],
    [`run --input '{"a": 1}' x`, ["run", "--input", '{"a": 1}', "x"]],
    [`run "a \\"b\\" c`, ["run", 'a "b" c']],
    ["run a\\ b", ["run", "a b"]],
    ["run 'open", ["run", "open"]],
    ["run a'b'\"c\"", ["run", "abc"]],
    ["run \\", ["run", ""]],
  ])("%j has the words %j", (line, words) => {
    expect(lineWords(line)).toEqual(words);
  });

  it("has the words that were quoted into it", () => {
    const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        expect(lineWords(words.map(quoted).join(" "))).toEqual(words);
      }),
    );
  });
});
