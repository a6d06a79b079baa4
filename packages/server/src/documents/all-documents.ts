import type { DocumentStore, StoredDocument } from "@segno/engine";

const PAGE = 100;

/** All documents of a kind whose keys come after `after`, in order of their keys. */
export async function allDocuments(
  documents: DocumentStore,
  kind: string,
  after?: string,
): Promise<readonly StoredDocument[]> {
  const found: StoredDocument[] = [];
  for (let last = after; ;) {
    const page = await documents.list(kind, { limit: PAGE, ...(last === undefined ? {} : { after: last }) });
    for (const document of page) found.push(document);
    if (page.length < PAGE) return found;
    last = page.at(-1)!.key;
  }
}
