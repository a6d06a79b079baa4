// A logger that writes nothing: the warnings of engines that are made to fail would fill the terminal.

import type { Logger } from "../events/logger.ts";

const write = (): void => undefined;

export const SILENT_LOGGER: Logger = {
  debug: write,
  info: write,
  warn: write,
  error: write,
  child: () => SILENT_LOGGER,
};
