// A recorded failure as an error, so that a program prints it like the error that its own code threw.

import type { Failure } from "@segno/kernel";

/** A plain `Error`, because its JavaScript class is not recorded: its name and its code identify it. */
export function recordedError({ code, message, name, stack, cause }: Failure): Error {
  const error = new Error(message, cause === undefined ? {} : { cause: recordedError(cause) });
  const shownName = name ?? (code.endsWith("Error") ? code : "Error");
  if (code !== shownName) Object.assign(error, { code });
  return Object.defineProperties(error, {
    name: hiddenProperty(shownName),
    stack: hiddenProperty(`${shownName}: ${message}${indentedFrames(stack)}`),
  });
}

/** As V8 writes them, so that `console.log` and other tools recognize them. */
function indentedFrames(stack: string | undefined): string {
  if (stack === undefined) return "";
  return stack
    .split("\n")
    .map((frame) => `\n    ${frame}`)
    .join("");
}

function hiddenProperty(value: string): PropertyDescriptor {
  return { value, enumerable: false, configurable: true, writable: true };
}
