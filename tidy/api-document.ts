// docs/api: a page for each entry of segno, and an index, from the declarations and their TSDoc comments.

import { type ApiExport, type ExportKind, readExports } from "./api-exports.ts";
import { Entries } from "./named-types.ts";
import { readText } from "./repository.ts";
import { SEGNO_ENTRIES } from "./segno-entries.ts";

interface ApiPage {
  /** The name that a program imports. */
  readonly entry: string;
  /** The name of the page in docs/api. */
  readonly file: string;
  /** The first comment of the entry's file. */
  readonly summary: string;
  readonly exports: readonly ApiExport[];
}

const FOLDER = "docs/api";

export const API_FILES: readonly string[] = ["README.md", ...SEGNO_ENTRIES.map(({ name }) => pageFile(name))].map(
  (file) => `${FOLDER}/${file}`,
);

let read: readonly ApiPage[] | undefined;

/** Reading takes seconds, so that the pages of one process are read once. */
export function apiPages(): readonly ApiPage[] {
  read ??= readPages();
  return read;
}

export function apiDocument(file: string): string {
  const page = apiPages().find((each) => `${FOLDER}/${each.file}` === file);
  return page === undefined ? indexText() : pageText(page);
}

function readPages(): readonly ApiPage[] {
  const entries = new Entries("packages/segno");
  try {
    return SEGNO_ENTRIES.map(({ name, file }) => ({
      entry: name,
      file: pageFile(name),
      summary: summaryOf(readText(file)),
      exports: readExports(entries, file),
    }));
  } finally {
    entries.close();
  }
}

function pageFile(entry: string): string {
  return `${entry.replace("/", "-")}.md`;
}

/** `// segno/batch: many items.` gives `Many items.` */
function summaryOf(source: string): string {
  const lines = source.split("\n");
  const end = lines.findIndex((line) => !/^\/\/ ./u.test(line));
  const text = lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join(" ")
    .replace(/^segno[/\w]*: /u, "");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const NOTE = "`npm run generate` writes this page from the comments in the sources.";

function indexText(): string {
  return [
    "# API reference",
    "",
    NOTE,
    "",
    "| import | contents |",
    "|---|---|",
    ...apiPages().map(({ entry, file, summary }) => `| [\`${entry}\`](${file}) | ${summary} |`),
    ...apiPages().flatMap((page) => ["", `## ${page.entry}`, "", listText(page)]),
    "",
  ].join("\n");
}

/** The functions and classes of a page, with links. */
function listText(page: ApiPage): string {
  const called = page.exports.filter(({ kind }) => kind === "function" || kind === "class");
  return called.map((each) => `[\`${each.name}\`](${page.file}#${anchorOf(each)})`).join(", ");
}

const SECTIONS: readonly (readonly [ExportKind, string])[] = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["constant", "Constants"],
  ["interface", "Interfaces"],
  ["type", "Types"],
];

function pageText(page: ApiPage): string {
  const sections = SECTIONS.flatMap(([kind, title]) => {
    const exports = page.exports.filter((each) => each.kind === kind);
    return exports.length === 0 ? [] : ["", `## ${title}`, ...exports.flatMap((each) => exportText(page, each))];
  });
  return [`# ${page.entry}`, "", page.summary, "", NOTE, ...sections, ""].join("\n");
}

/** The kind stands in the heading, because anchors do not tell `Agent` from `agent`. */
function headingOf({ kind, name }: ApiExport): string {
  return `${kind} ${name}`;
}

function anchorOf(exported: ApiExport): string {
  return headingOf(exported).toLowerCase().replaceAll(" ", "-");
}

function exportText(page: ApiPage, exported: ApiExport): readonly string[] {
  const { comment, declarations, members } = exported;
  return [
    "",
    `### ${headingOf(exported)}`,
    "",
    ...(comment.text === "" ? [] : [comment.text, ""]),
    "```ts",
    publicNames(page, declarations.join("\n")),
    "```",
    ...(members.length === 0 ? [] : ["", ...tableText(page, exported)]),
    ...usesText(page, exported),
    ...comment.examples.flatMap((example) => exampleText("Example", example)),
    ...members.flatMap(({ name, comment: { examples } }) =>
      examples.flatMap((example) => exampleText(`Example of \`${name}\``, example)),
    ),
  ];
}

function exampleText(title: string, example: string): readonly string[] {
  return ["", `${title}:`, "", "```ts", example, "```"];
}

function tableText(page: ApiPage, { members }: ApiExport): readonly string[] {
  return [
    "| member | meaning |",
    "|---|---|",
    ...members.map(({ signatures, comment }) => {
      const codes = signatures.map((signature) => cellCode(publicNames(page, signature)));
      return `| ${codes.join("<br>")} | ${cellText(comment.text)} |`;
    }),
  ];
}

function cellCode(code: string): string {
  return code.includes("`") ? `\`\` ${cellText(code)} \`\`` : `\`${cellText(code)}\``;
}

function cellText(text: string): string {
  return text.replaceAll(/\s+/gu, " ").replaceAll("|", "\\|");
}

/** An entry may export a declaration under another name; its page shows that name everywhere. */
function publicNames(page: ApiPage, text: string): string {
  const renamed = new Map(
    page.exports
      .filter(({ name, declaredName }) => name !== declaredName)
      .map((each) => [each.declaredName, each.name]),
  );
  return text.replaceAll(/\b[A-Za-z_]\w*/gu, (word) => renamed.get(word) ?? word);
}

function usesText(page: ApiPage, exported: ApiExport): readonly string[] {
  const links = exported.uses.flatMap((id) => (id === exported.id ? [] : linkTo(page, id)));
  return links.length === 0 ? [] : ["", `Types: ${links.toSorted().join(", ")}`];
}

/** A link on the same page if the page has the type, else to the first page that has it. */
function linkTo(page: ApiPage, id: number): readonly string[] {
  for (const each of [page, ...apiPages()]) {
    const found = each.exports.find((exported) => exported.id === id);
    if (found === undefined) continue;
    return [`[\`${found.name}\`](${each === page ? "" : each.file}#${anchorOf(found)})`];
  }
  return [];
}
