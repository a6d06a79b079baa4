const CHARS_MAX = 2000;

/** The beginning of a text of the forge, for an error. Secrets are masked before it is cut: a cut could leave a part (DATA-9). */
export function errorText(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
  return masked.length <= CHARS_MAX ? masked : `${masked.slice(0, CHARS_MAX).toWellFormed()}…`;
}
