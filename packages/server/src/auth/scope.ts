/** A token allows the routes of its scopes. `admin` allows everything. */
export type TokenScope = "read" | "run" | "approve" | "define" | "admin";

/** All scopes. */
export const SCOPES: readonly TokenScope[] = ["read", "run", "approve", "define", "admin"];

export function allows(scopes: readonly TokenScope[], wanted: TokenScope): boolean {
  return scopes.includes(wanted) || scopes.includes("admin");
}
