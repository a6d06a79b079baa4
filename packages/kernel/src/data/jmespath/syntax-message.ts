/**
 * What the library says about a text it cannot read. Its parser runs off the end of the tokens when an expression stops
 * too early, which shows as a TypeError.
 */
export function syntaxMessage(error: Error): string {
  if (error instanceof TypeError) return "The expression stops too early";
  return `The expression cannot be read: ${error.message.replace(/^syntax(?: error)?[:,] /iu, "")}`;
}
