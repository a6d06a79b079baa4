import { SegnoClient } from "@segno/client";

/** The token comes from the environment only: other users can read the words of a command line. */
export function openClient(url: string): SegnoClient {
  const token = process.env["SEGNO_TOKEN"];
  return new SegnoClient({ url, token: token === "" ? undefined : token });
}
