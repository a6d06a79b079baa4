// The error codes of the client. A problem that the server answers keeps the server's code.

export const CLIENT_CODES = {
  SERVER_UNREACHABLE: {
    meaning: "The server cannot be reached, or the connection to it broke before the answer was complete.",
    remedy: "Check the address and whether the server runs.",
  },
  SERVER_ANSWER_INVALID: {
    meaning:
      "The answer is not one of Segno's API: the address belongs to another program, or a proxy answered instead.",
    remedy: "Check the address of the server, and the log of the proxy in front of it.",
  },
  SERVER_ADDRESS_INVALID: {
    meaning: "The address of the server is not an `http` or `https` URL, or it contains a user, a query or a fragment.",
    remedy: "Write it as `http://127.0.0.1:7350`. The token has a place of its own.",
  },
} as const;

export type ClientErrorCode = keyof typeof CLIENT_CODES;
