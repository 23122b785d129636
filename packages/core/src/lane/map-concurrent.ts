/** Results in item order, at most `limit` calls running. After the first throw no further item is started. */
export async function mapConcurrent<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  let over = false;
  const worker = async () => {
    for (const [index, item] of entries) {
      if (over) return;
      try {
        results[index] = await work(item, index);
      } catch (problem) {
        over = true;
        throw problem;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
