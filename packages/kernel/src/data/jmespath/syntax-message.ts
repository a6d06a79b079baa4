/**
 * The library's message for a text that it cannot parse. Its parser reads past the last token when an expression ends too
 * early, which shows as a TypeError.
 */
export function syntaxMessage(error: Error): string {
  if (error instanceof TypeError) return "The expression ends too early";
  return `The expression cannot be read: ${error.message.replace(/^syntax(?: error)?[:,] /iu, "")}`;
}
