// The types that the exports of an entry name, found with the TypeScript compiler: a program that uses an option, a result or an
// event can write the types of its parts only if the entry exports these types as well.

import { join } from "node:path";
import { SyntaxKind, type Node } from "typescript/unstable/ast";
import { API, type Project, type Symbol as TypeSymbol } from "typescript/unstable/sync";

import { ROOT } from "./repository.ts";

/** An exported name, and a type that its declaration names. */
export interface NamedType {
  readonly by: string;
  readonly type: string;
  readonly file: string;
}

/** An export under its public name, with the symbol of its declaration. */
export interface ExportedSymbol {
  readonly name: string;
  readonly symbol: TypeSymbol;
}

export class Entries {
  readonly #api = new API({ cwd: ROOT });
  readonly #project: Project;

  /** `folder` is a package with a `tsconfig.json`. */
  constructor(folder: string) {
    const config = join(ROOT, folder, "tsconfig.json");
    this.#project = this.#api.updateSnapshot({ openProjects: [config] }).getProject(config)!;
  }

  close(): void {
    this.#api.close();
  }

  /** The types of this repository that exports of the file name, and that neither the file nor one of `beside` exports. */
  missing(file: string, beside: readonly string[]): readonly NamedType[] {
    const known = new Set([file, ...beside].flatMap((each) => this.exported(each).map(({ symbol }) => symbol.id)));
    return this.exported(file).flatMap(({ symbol }) =>
      this.named(symbol)
        .filter(({ id }) => !known.has(id))
        .map((type) => ({ by: symbol.name, type: type.name, file: readSource(type)! })),
    );
  }

  exported(file: string): readonly ExportedSymbol[] {
    const { checker, program } = this.#project;
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, file))!)!;
    return checker.getExportsOfModule(module).map((symbol) => ({ name: symbol.name, symbol: this.#original(symbol) }));
  }

  declarations(symbol: TypeSymbol): readonly Node[] {
    return symbol.declarations.map((declaration) => declaration.resolve(this.#project)!);
  }

  /** The declarations of each property of an interface, inherited ones included, that this repository declares. */
  properties(symbol: TypeSymbol): readonly (readonly Node[])[] {
    const { checker } = this.#project;
    return checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
      .filter((property) => readSource(property) !== undefined)
      .map((property) => this.declarations(property));
  }

  /** The declarations of the name that stands there; nothing if another package declares it. */
  declarationsAt(name: Node): readonly Node[] {
    const symbol = this.#project.checker.getSymbolAtLocation(name);
    const original = symbol === undefined ? undefined : this.#original(symbol);
    return original === undefined || readSource(original) === undefined ? [] : this.declarations(original);
  }

  #original(symbol: TypeSymbol): TypeSymbol {
    return (symbol.flags & ALIAS) === 0 ? symbol : this.#project.checker.getAliasedSymbol(symbol);
  }

  /** The types of this repository that the declaration of the symbol names. */
  named(symbol: TypeSymbol): readonly TypeSymbol[] {
    const names: Node[] = [];
    for (const declaration of this.declarations(symbol)) collectNames(declaration, names);
    const found = new Map<number, TypeSymbol>();
    for (const named of this.#project.checker.getSymbolAtLocation(names)) {
      const type = named === undefined ? undefined : this.#original(named);
      if (type !== undefined && readSource(type) !== undefined) found.set(type.id, type);
    }
    return [...found.values()];
  }
}

const ALIAS = 2_097_152;

/** The file of this repository that declares the type; nothing for type parameters and for types of other packages. */
function readSource({ declarations }: TypeSymbol): string | undefined {
  const [first] = declarations;
  if (first === undefined || first.kind === SyntaxKind.TypeParameter) return undefined;
  return /\/packages\/[a-z]+\/(?:src|dist)\/.*$/u.exec(first.path)?.[0].slice(1);
}

/** Names of types in a declaration, without bodies, initial values and private members. */
function collectNames(node: Node, names: Node[]): void {
  if (node.kind === SyntaxKind.Block || isPrivate(node)) return;
  const { typeName, initializer, expression } = node as {
    readonly typeName?: Node;
    readonly initializer?: Node;
    readonly expression?: Node;
  };
  if (node.kind === SyntaxKind.TypeReference) names.push(typeName!);
  if (node.kind === SyntaxKind.ExpressionWithTypeArguments) names.push(expression!);
  node.forEachChild((child) => {
    if (child !== initializer) collectNames(child, names);
  });
}

export function isPrivate(node: Node): boolean {
  const { name, modifiers } = node as { readonly name?: Node; readonly modifiers?: readonly Node[] };
  return (
    name?.kind === SyntaxKind.PrivateIdentifier ||
    modifiers?.some(({ kind }) => kind === SyntaxKind.PrivateKeyword) === true
  );
}
