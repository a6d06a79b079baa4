// Markdown, as far as the tidy tests read it: fenced blocks, links and headings.

export interface FencedBlock {
  /** The text after the opening fence: `ts`, `sh exit=3`. */
  readonly info: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
}

const FENCE = /^```(.*)$/u;

export function fencedBlocks(markdown: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: { info: string; line: number; body: string[] } | null = null;
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = FENCE.exec(line);
    if (open === null && fence !== null) open = { info: fence[1]!.trim(), line: index + 1, body: [] };
    else if (open !== null && line === "```") {
      blocks.push({ info: open.info, line: open.line, text: open.body.map((each) => `${each}\n`).join("") });
      open = null;
    } else open?.body.push(line);
  }
  return blocks;
}

const LINK = /\]\(([^()\s]+)((?:\s+"[^"]*")?)\)/gu;
const CODE = /^```[\s\S]*?^```$|`[^`\n]*`/gmu;

/** Targets of links and pictures, without those inside code. */
export function linkTargets(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(LINK)].map((match) => match[1]!);
}

/** The text with another target for every link to a file; code is left as it is. */
export function withFileLinks(markdown: string, changed: (target: string) => string): string {
  const isFile = (target: string): boolean => !/^(?:[a-z]+:|#)/u.test(target);
  const inProse = (prose: string): string =>
    prose.replaceAll(LINK, (link, target: string, title: string) =>
      isFile(target) ? `](${changed(target)}${title})` : link,
    );
  const code = [...markdown.matchAll(CODE)].map(([text]) => text);
  return markdown
    .split(CODE)
    .map((prose, index) => inProse(prose) + (code[index] ?? ""))
    .join("");
}

/** The anchors that headings get where Markdown is shown. */
export function headingAnchors(markdown: string): Set<string> {
  const headings = [...withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gmu)].map((match) => match[1]!);
  return new Set(headings.map(toAnchor));
}

function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/gu, "-");
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gmu, "");
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(CODE, "");
}
