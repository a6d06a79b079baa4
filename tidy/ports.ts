// The ports of a package: the interfaces through which an internal object gets its collaborators. Found with the
// TypeScript compiler, so that inherited members count.

import { join } from "node:path";
import { SyntaxKind, type ConstructorDeclaration, type Node, type SourceFile } from "typescript/unstable/ast";
import { API, type Project } from "typescript/unstable/sync";

import { ROOT } from "./repository.ts";

/** An interface and the number of its members. */
export interface Port {
  readonly name: string;
  readonly file: string;
  readonly members: number;
}

/** A constructor and the number of its lines. */
export interface Construction {
  readonly name: string;
  readonly file: string;
  readonly lines: number;
}

interface Named {
  readonly text: string;
}

/** Names that only ports have. */
const PORT = /(?:Ports?|Host|Owner|Listener|Parts|Runtime|Dependencies|Collaborators)$/u;
/** Names of records that a constructor gets beside other parameters. */
const RECORD = /(?:Options|Context)$/u;

export class Ports {
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

  /** Interfaces that have the name of a port, and the records that constructors of the file get. */
  ports(file: string): readonly Port[] {
    const types = this.#statements(file).flatMap((node) => [...declaredPorts(node), ...this.#parameterTypes(node)]);
    const ports = types.map((type) => this.#toPort(file, type));
    return [...new Map(ports.map((port) => [port.name, port])).values()];
  }

  constructions(file: string): readonly Construction[] {
    return this.#statements(file).flatMap((node) =>
      constructors(node).map((each) => ({
        name: toName(node)?.text ?? "a class",
        file,
        lines: each.getText().split("\n").length,
      })),
    );
  }

  #statements(file: string): readonly Node[] {
    const source: SourceFile = this.#project.program.getSourceFile(join(ROOT, file))!;
    return [...source.statements];
  }

  #toPort(file: string, type: Node): Port {
    const { checker } = this.#project;
    return {
      name: type.getText(),
      file,
      members: checker.getPropertiesOfType(checker.getTypeAtLocation(type)!).length,
    };
  }

  /** The only parameter of a constructor, and every parameter whose type has the name of a record or a port. */
  #parameterTypes(node: Node): readonly Node[] {
    return constructors(node).flatMap(({ parameters }) =>
      parameters
        .map(({ type }) => type as Node | undefined)
        .filter((type) => type !== undefined)
        .filter((type) => parameters.length === 1 || RECORD.test(type.getText()) || PORT.test(type.getText()))
        .filter((type) => this.#isRecord(type)),
    );
  }

  /** Whether a type is an interface or is made of some: a class is one collaborator, and a union is a value. */
  #isRecord(type: Node): boolean {
    if (type.kind === SyntaxKind.TypeLiteral || type.kind === SyntaxKind.IntersectionType) return true;
    if (type.kind !== SyntaxKind.TypeReference) return false;
    const { checker } = this.#project;
    const symbol = checker.getSymbolAtLocation((type as unknown as { readonly typeName: Node }).typeName);
    const original = symbol !== undefined && (symbol.flags & ALIAS) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
    const declaration = original?.declarations[0]?.resolve(this.#project);
    return declaration !== undefined && isRecordDeclaration(declaration);
  }
}

const ALIAS = 2_097_152;

function isRecordDeclaration(node: Node): boolean {
  if (node.kind === SyntaxKind.InterfaceDeclaration) return true;
  const { type } = node as { readonly type?: Node };
  return node.kind === SyntaxKind.TypeAliasDeclaration && type?.kind !== SyntaxKind.UnionType;
}

function declaredPorts(node: Node): readonly Node[] {
  const name = toName(node);
  return isRecordDeclaration(node) && name !== undefined && PORT.test(name.text) ? [name] : [];
}

function toName(node: Node): (Node & Named) | undefined {
  return (node as { readonly name?: Node & Named }).name;
}

function constructors(node: Node): readonly ConstructorDeclaration[] {
  if (node.kind !== SyntaxKind.ClassDeclaration) return [];
  const { members } = node as unknown as { readonly members: readonly Node[] };
  return members.filter(({ kind }) => kind === SyntaxKind.Constructor) as unknown as readonly ConstructorDeclaration[];
}
