// Object ids: full SHA-1 or SHA-256 names in hexadecimal digits.

declare const OID: unique symbol;
/** The id of a git object. */
export type Oid = string & { readonly [OID]: true };

const FORM = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

export function isOid(text: string): text is Oid {
  return FORM.test(text);
}

/** The id that stands for "no object" in a repository with ids of this length. */
export function zeroOid(like: Oid): Oid {
  return "0".repeat(like.length) as Oid;
}
