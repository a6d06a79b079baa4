// The four ways to draw, held against a contract that means harm.

import { loadContract } from "@segno/contract";
import { compileOrThrow } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { dot } from "./dot.ts";
import { graphJson } from "./graph-json.ts";
import { graphPicture, type GraphPicture } from "./graph-picture.ts";
import { mermaid } from "./mermaid.ts";
import { svg } from "./svg/svg.ts";

const drawPicture = (steps: string): GraphPicture =>
  graphPicture(compileOrThrow(loadContract(`name: drawn\nsteps:\n${steps}`)));

const PLAIN = drawPicture(`
  - { id: a, run: make, fallback: c }
  - { id: b, agent: reader, dependsOn: [{ step: a, on: settled }] }
  - { id: c, approve: {} }
  - { id: d, wait: { for: 5m }, dependsOn: [a], enabled: false }
`);

const MEETING = drawPicture("  - { id: a, run: make }\n  - { id: met, barrier: true, dependsOn: [a] }\n");

const HOSTILE_TEXTS = [
  `"]; x --> y`,
  "a\nb",
  "</script><script>alert(1)</script>",
  "%%{init: {}}%%",
  String.raw`\" ]; evil [label="`,
  "`md` #35; &amp; ]]>",
  "--> | {{ }} \u001b[31m \ufffe",
];
const HOSTILE = drawPicture(
  HOSTILE_TEXTS.map((text, index) => `  - { id: s${index}, name: ${JSON.stringify(text)}, run: x }\n`).join(""),
);

/** Fifty steps that all wait for the same. */
const layer = (name: string, before: string): string =>
  Array.from({ length: 50 }, (_, index) => `  - { id: ${name}${index}, run: x${before} }\n`).join("");

describe("mermaid", () => {
  it("has a shape for each kind and an arrow for each kind of edge", () => {
    expect(mermaid(PLAIN)).toBe(`---
title: "drawn"
---
flowchart LR
  s0["a<br/>run: make"]
  s1(["b<br/>agent: reader"])
  s2{{"c<br/>approve: by anyone"}}
  s3("d<br/>wait: for 5m<br/>disabled"):::disabled
  s0 -.->|settled| s1
  s0 -.->|if it fails| s2
  s0 --> s3
  linkStyle 1 stroke-dasharray:2 4
  classDef disabled fill:#f4f4f5,stroke:#a1a1aa,color:#71717a,stroke-dasharray:4 3
`);
  });

  it("BEYOND-1 draws a barrier as one", () => {
    expect(mermaid(MEETING)).toContain('  s1[/"met<br/>barrier: waits for several steps"\\]\n');
  });

  it("keeps every name inside its label", () => {
    const lines = mermaid(HOSTILE).trimEnd().split("\n").slice(4);
    expect(lines).toHaveLength(HOSTILE_TEXTS.length);
    for (const line of lines) expect(line).toMatch(/^ {2}s\d\["s\d<br\/>run: [\p{L}\p{N} .,:/_…#;-]*"\]$/u);
  });
});

describe("dot", () => {
  it("draws settled edges dashed and fallbacks dotted", () => {
    const text = dot(PLAIN);
    expect(text).toContain('  "a" -> "b" [style=dashed, label="settled"];');
    expect(text).toContain('  "a" -> "c" [style=dotted, label="if it fails"];');
    expect(text).toContain('  "a" -> "d";');
  });

  it("BEYOND-1 draws a barrier as one", () => {
    expect(dot(MEETING)).toContain(
      String.raw`  "met" [label="met\nbarrier: waits for several steps", shape=trapezium, style=""];`,
    );
  });

  it("keeps every name inside its quotes", () => {
    const nodes = dot(HOSTILE)
      .split("\n")
      .filter((line) => line.startsWith('  "s'));
    expect(nodes).toHaveLength(HOSTILE_TEXTS.length);
    for (const line of nodes) expect(line).toMatch(/^ {2}"s\d" \[label="(?:[^"\\]|\\.)*"\];$/u);
  });
});

describe("json", () => {
  it("has the steps with their waves and the edges with their kinds", () => {
    expect(graphJson(PLAIN)).toMatchObject({
      schemaVersion: 1,
      workflow: "drawn",
      nodes: [
        { id: "a", kind: "run", does: "make", wave: 0, disabled: false },
        { id: "b", wave: 1 },
        { id: "c", wave: 1 },
        { id: "d", wave: null, disabled: true },
      ],
      edges: [
        { from: "a", to: "b", on: "settled" },
        { from: "a", to: "c", on: "fallback" },
        { from: "a", to: "d", on: "succeeded" },
      ],
    });
  });
});

describe("svg", () => {
  it("needs nothing from outside and runs nothing", async () => {
    const text = await svg(HOSTILE);
    expect(text).not.toMatch(/<script|<foreignObject|<image|<use|href|@import|@font-face|\bon[a-z]+=/u);
    expect((await svg(PLAIN)).match(/url\([^#]/gu)).toBeNull();
  });

  it("escapes every name, so that its tags are all its own", async () => {
    const text = await svg(HOSTILE);
    const tags = new Set([...text.matchAll(/<\/?([a-zA-Z]+)/gu)].map((match) => match[1]));
    expect(tags).toEqual(new Set(["defs", "g", "marker", "path", "rect", "style", "svg", "text", "title"]));
    expect(text).toContain("&lt;/script&gt;");
    expect(text.replaceAll(/&(?:amp|lt|gt|quot|apos);/gu, "")).not.toContain("&");
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\ufffe\uffff]/u);
  });

  it("draws settled edges dashed, fallbacks dotted, disabled steps grey, and explains the lines", async () => {
    const text = await svg(PLAIN);
    expect(text).toMatch(/class="edge settled".*\n.*class="edge fallback".*\n.*class="edge succeeded"/u);
    expect(text).toContain('<g class="wait disabled"');
    expect(text).toContain("only if it fails</text>");
    expect(text).toContain("@media (prefers-color-scheme:dark)");
  });

  it("BEYOND-1 draws a barrier as one, with a line at either end", async () => {
    const text = await svg(MEETING);
    expect(text).toMatch(/<g class="barrier" [^>]*><title>met \(barrier\): waits for several steps<\/title>/u);
    expect(text).toMatch(/<path class="shape" d="M5 0V52M\d+ 0V52"\/>/u);
  });

  it("is drawn by waves where dagre would take too long", async () => {
    const all = Array.from({ length: 50 }, (_, index) => `a${index}`).join(", ");
    const text = await svg(drawPicture(layer("a", "") + layer("b", `, dependsOn: [${all}]`)));
    expect(text.match(/<g class="run"/gu)).toHaveLength(100);
    expect(text.match(/class="edge succeeded"/gu)).toHaveLength(2500);
    expect(text).not.toMatch(/NaN|undefined|Infinity/u);
  });
});
