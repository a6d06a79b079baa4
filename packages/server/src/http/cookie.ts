// The cookie of a session. A browser sends it, and no script reads it.

export const SESSION_COOKIE = "segno_session";

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * The header that sets the cookie; an empty id removes it. `protocol` is what a reverse proxy says that the browser uses. A client that
 * lies about it changes only its own cookie.
 */
export function sessionCookie(id: string, protocol: string | undefined): string {
  const secure = protocol?.trim().toLowerCase() === "https" ? "; Secure" : "";
  const age = id === "" ? "; Max-Age=0" : "";
  return `${SESSION_COOKIE}=${id}; HttpOnly; SameSite=Strict; Path=/${age}${secure}`;
}
