// The exports of an entry as the API reference shows them, read with the TypeScript compiler: kind, declaration, comment, members.

import { SyntaxKind, type Node } from "typescript/unstable/ast";

import { type DocComment, NO_COMMENT, parseDocComment } from "./doc-comment.ts";
import { type Entries, type ExportedSymbol, isPrivate } from "./named-types.ts";

export type ExportKind = "function" | "class" | "constant" | "interface" | "type";

export interface ApiExport {
  /** The symbol of the compiler: equal for two entries that export the same declaration. */
  readonly id: number;
  readonly name: string;
  /** The name in the file that declares it, which an entry may change. */
  readonly declaredName: string;
  readonly kind: ExportKind;
  readonly comment: DocComment;
  /** The declarations without bodies; of a class and an interface only the head. */
  readonly declarations: readonly string[];
  readonly members: readonly ApiMember[];
  /** The symbols that its declaration names. */
  readonly uses: readonly number[];
}

export interface ApiMember {
  readonly kind: "property" | "method";
  readonly name: string;
  /** As the declaration writes it, on one line, without comments and body; one for each overload. */
  readonly signatures: readonly string[];
  readonly comment: DocComment;
}

export function readExports(entries: Entries, file: string): readonly ApiExport[] {
  return entries
    .exported(file)
    .map((exported) => readExport(entries, exported))
    .toSorted((left, right) => compareNames(left.name, right.name));
}

function compareNames(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  if (a === b) return left < right ? -1 : 1;
  return a < b ? -1 : 1;
}

function readExport(entries: Entries, { name, symbol }: ExportedSymbol): ApiExport {
  const nodes = withoutImplementation(entries.declarations(symbol));
  return {
    id: symbol.id,
    name,
    declaredName: symbol.name,
    kind: kindOf(nodes[0]!),
    comment: nodes.map(commentOf).find(({ text }) => text !== "") ?? NO_COMMENT,
    declarations: nodes.map(declarationText),
    members: isExtendedInterface(nodes[0]!)
      ? allMembers(entries, nodes[0]!, symbol)
      : nodes.flatMap((node) => membersOf(entries, node)),
    uses: entries.named(symbol).map(({ id }) => id),
  };
}

/** The implementation of an overloaded function is not part of its type. */
function withoutImplementation(nodes: readonly Node[]): readonly Node[] {
  return nodes.length === 1 ? nodes : nodes.filter((node) => bodyOf(node) === undefined);
}

const KINDS: Readonly<Partial<Record<SyntaxKind, ExportKind>>> = {
  [SyntaxKind.FunctionDeclaration]: "function",
  [SyntaxKind.ClassDeclaration]: "class",
  [SyntaxKind.VariableDeclaration]: "constant",
  [SyntaxKind.InterfaceDeclaration]: "interface",
  [SyntaxKind.TypeAliasDeclaration]: "type",
};

function kindOf(node: Node): ExportKind {
  const kind = KINDS[node.kind];
  if (kind === undefined)
    throw new Error(`an export is a ${SyntaxKind[node.kind]}, which the API reference cannot show`);
  return kind;
}

interface Parts {
  readonly name?: Node;
  readonly body?: Node;
  readonly type?: Node;
  readonly initializer?: Node;
  readonly members?: readonly Node[];
  readonly heritageClauses?: readonly { readonly types: readonly { readonly expression: Node }[] }[];
}

const partsOf = (node: Node): Parts => node as Parts;
const bodyOf = (node: Node): Node | undefined => partsOf(node).body;

function commentOf(node: Node): DocComment {
  // The comment of a constant belongs to its statement.
  const owner = node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node;
  const last = owner.jsDoc?.at(-1);
  if (last === undefined) return NO_COMMENT;
  // The position of a comment includes the line comments before it.
  const text = textBetween(owner, last.pos, last.end);
  return parseDocComment(text.slice(text.indexOf("/**")));
}

function declarationText(node: Node): string {
  const { body, type, initializer, members } = partsOf(node);
  const start = node.getStart();
  if (node.kind === SyntaxKind.VariableDeclaration)
    return `const ${textBetween(node, start, type === undefined ? initializer!.end : type.end)}`;
  if (members !== undefined) {
    const end = members.length === 0 ? node.end : members[0]!.pos;
    return withoutExport(textBetween(node, start, end).replace(/\s*\{\s*\}?$/u, ""));
  }
  return withoutExport(textBetween(node, start, body === undefined ? node.end : body.pos)).replace(/;$/u, "");
}

function withoutExport(text: string): string {
  return text.replace(/^export (?:declare )?(?:async )?/u, "").trim();
}

function isExtendedInterface(node: Node): boolean {
  return node.kind === SyntaxKind.InterfaceDeclaration && partsOf(node).heritageClauses !== undefined;
}

/**
 * The members of an interface, those of other interfaces included, also if it takes only some of them. Its own members come
 * first; the compiler gives no order of the others.
 */
function allMembers(entries: Entries, node: Node, symbol: ExportedSymbol["symbol"]): readonly ApiMember[] {
  const own = membersOf(entries, node);
  const known = new Set(own.map(({ name }) => name));
  const inherited = entries
    .properties(symbol)
    .map((declarations) => readMember(nameOf(declarations[0]!), declarations))
    .filter(({ name }) => !known.has(name))
    .toSorted((left, right) => compareNames(left.name, right.name));
  return [...own, ...inherited];
}

/** A member without a comment has that of the interface or class from which it comes. */
function membersOf(entries: Entries, node: Node): readonly ApiMember[] {
  const inherited = new Map(inheritedMembers(entries, node).map((member) => [member.name, member.comment]));
  return ownMembers(node).map((member) =>
    member.comment.text === "" ? { ...member, comment: inherited.get(member.name) ?? NO_COMMENT } : member,
  );
}

/** The members of the interfaces and classes behind `extends` and `implements`, the nearest last. */
function inheritedMembers(entries: Entries, node: Node): readonly ApiMember[] {
  const bases = (partsOf(node).heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression));
  return bases
    .flatMap((base) => entries.declarationsAt(base))
    .flatMap((base) => [...inheritedMembers(entries, base), ...ownMembers(base)])
    .filter(({ comment }) => comment.text !== "");
}

function ownMembers(node: Node): readonly ApiMember[] {
  const byName = new Map<string, Node[]>();
  for (const member of (partsOf(node).members ?? []).filter(isShown)) {
    const name = nameOf(member);
    byName.set(name, [...(byName.get(name) ?? []), member]);
  }
  return [...byName].map(([name, overloads]) => readMember(name, withoutImplementation(overloads)));
}

function nameOf(member: Node): string {
  if (member.kind === SyntaxKind.Constructor) return "constructor";
  const { name } = partsOf(member);
  return textBetween(name!, name!.getStart(), name!.end);
}

const MEMBER_KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Constructor,
  SyntaxKind.PropertySignature,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.GetAccessor,
]);

/** An accessor has no arguments, but a class declares it as carefully as a method. */
const METHOD_KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.MethodSignature,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.GetAccessor,
]);

function isShown(node: Node): boolean {
  const { modifiers } = node as { readonly modifiers?: readonly Node[] };
  const isProtected = modifiers?.some(({ kind }) => kind === SyntaxKind.ProtectedKeyword) === true;
  return MEMBER_KINDS.has(node.kind) && !isPrivate(node) && !isProtected;
}

function readMember(name: string, overloads: readonly Node[]): ApiMember {
  return {
    kind: overloads.some(({ kind }) => METHOD_KINDS.has(kind)) ? "method" : "property",
    name,
    signatures: overloads.map(signatureOf),
    comment: overloads.map(commentOf).find(({ text }) => text !== "") ?? NO_COMMENT,
  };
}

function signatureOf(member: Node): string {
  const { body, type, initializer } = partsOf(member);
  const end = body?.pos ?? (initializer === undefined ? member.end : (type?.end ?? initializer.end));
  return textBetween(member, member.getStart(), end)
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, "")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/(?<=[[(<]) |,? (?=[\])>])(?! ?=>)/gu, "")
    .replace(/^(?:(?:override|async|declare|readonly|abstract) )*(static )?(?:(?:override|async|readonly) )*/u, "$1")
    .replace(/^\*|;?\s*$/gu, "")
    .replace(/^constructor(?=\()/u, () => `new ${nameOf(member.parent)}`);
}

function textBetween(node: Node, start: number, end: number): string {
  return node.getSourceFile().text.slice(start, end);
}
