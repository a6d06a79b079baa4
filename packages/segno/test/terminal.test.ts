// The command on a pseudo-terminal: what people see, and what is left on their screen.

import { writeFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hasScript, PseudoTerminal, type PseudoTerminalOptions } from "./pseudo-terminal.ts";
import { CommandFixture } from "./command-fixture.ts";

const ESCAPE = "\u001b";
const CTRL_C = "\u0003";

const SHOUTING = `
name: shouting
steps:
  - id: loud
    run: |
      printf '\\033[31mred\\033[0m\\n'
      printf '\\033]0;owned\\007title \\033]52;c;ZXZpbA==\\007clip \\033[2J\\033[1;1Hclear \\033[?1049halt\\n'
      sleep 0.3
`;

let shop: CommandFixture;

beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeFile(shop.path("shouting.yaml"), SHOUTING);
});
afterAll(() => shop[Symbol.asyncDispose]());

function open(words: readonly string[], options: Partial<PseudoTerminalOptions> = {}): PseudoTerminal {
  return new PseudoTerminal(words, { folder: shop.folder, ...options });
}

// Left out where `script` of util-linux is missing: Node has no pseudo-terminal of its own.
describe.skipIf(!hasScript)("on a terminal", () => {
  it("L1 S1 S2 a live region comes and goes, and what ended has scrolled by", async () => {
    const terminal = open(["run", "lively.yaml", "--quiet"], { columns: 70, rows: 20 });
    expect(await terminal.ended).toBe(0);
    const { text, isCursorHidden } = terminal.screen();
    expect(isCursorHidden).toBe(false);
    expect(text[0]).toMatch(/^lively [0-9a-f-]{36} started; if this is interrupted: segno work$/u);
    expect(text.filter((line) => /^✓ s\d+ \S+$/u.test(line))).toHaveLength(40);
    expect(text.filter((line) => /^✓ s\d+ +succeeded/u.test(line))).toHaveLength(40);
    expect(text.at(-2)).toMatch(/^lively completed in .*: 40 succeeded$/u);
    expect(text.at(-1)).toMatch(/^next: segno show /u);
    expect(text.join("\n")).not.toContain("━");
    expect(terminal.output).toMatch(/━+.*\d+ of 40/u);
  });

  it("L1 never draws more than ten lines, nor uses the alternate screen", async () => {
    const steps = Array.from(
      { length: 30 },
      (_, index) => `  - { id: w${index}, wait: { for: ${index * 20 + 2000}ms } }`,
    );
    await writeFile(shop.path("wide.yaml"), `name: wide\nsteps:\n${steps.join("\n")}\n`);
    const terminal = open(["run", "wide.yaml"]);
    expect(await terminal.ended).toBe(0);
    const heights = [...terminal.output.matchAll(new RegExp(`${ESCAPE}\\[(\\d+)A`, "gu"))].map(([, rows]) =>
      Number(rows),
    );
    expect(Math.max(...heights)).toBe(10);
    expect(terminal.output).toMatch(/and \d+ more/u);
    expect(terminal.output).not.toContain("[?1049");
    expect(terminal.screen().text.filter((line) => line.startsWith("✓ w"))).toHaveLength(60);
  });

  it("CANCEL-2 Ctrl-C cancels, says so and gives the cursor back", async () => {
    const terminal = open(["run", "endless.yaml"]);
    await terminal.shows(/waits for the signal `never`/u);
    expect(terminal.screen().isCursorHidden).toBe(true);
    terminal.press(CTRL_C);
    expect(await terminal.ended).toBe(130);
    const { text, isCursorHidden } = terminal.screen();
    expect(isCursorHidden).toBe(false);
    expect(text.join("\n")).toContain("cancelling; steps have 5s to clean up; press Ctrl-C again to force");
    expect(text.at(-2)).toMatch(/^endless cancelled in /u);
  });
});

describe.skipIf(!hasScript)("what steps write to a terminal", () => {
  it("T1 T2 a step can colour its lines, and do nothing else to the terminal", async () => {
    const terminal = open(["run", "shouting.yaml"]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen().text).toContain("loud │ red");
    expect(terminal.screen().text).toContain("loud │ title clip clear alt");
    expect(terminal.output).toContain(`${ESCAPE}[31mred${ESCAPE}[0m`);
    const logs = open(["logs", "@last"]);
    expect(await logs.ended).toBe(0);
    expect(logs.screen().text).toEqual(["loud │ red", "loud │ title clip clear alt"]);
  });

  it.each([
    ["CI", { CI: "true" }],
    ["a dumb terminal", { TERM: "dumb" }],
  ])("%s has plain lines", async (_, environment) => {
    const terminal = open(["run", "quick.yaml"], { environment });
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).not.toMatch(new RegExp(`${ESCAPE}\\[(?:\\?25|\\d+A|J)`, "u"));
    expect(terminal.screen().text).toContain("◷ first waits 20ms");
  });

  it("NO_COLOR leaves the region and takes the colours", async () => {
    const terminal = open(["run", "lively.yaml"], { environment: { NO_COLOR: "1" } });
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).toContain(`${ESCAPE}[?25l`);
    expect(terminal.output).not.toMatch(new RegExp(`${ESCAPE}\\[[0-9;]*m`, "u"));
  });
});
