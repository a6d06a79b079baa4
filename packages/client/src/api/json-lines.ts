/** Each line as JSON. */
export async function* jsonLines<Item>(lines: AsyncIterable<string>): AsyncGenerator<Item> {
  for await (const line of lines) if (line !== "") yield JSON.parse(line) as Item;
}
