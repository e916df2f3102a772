const AT_ONCE_MAX = 4

/** Each item through `use`, four at a time; results in the order of the items. */
export async function inParallel<T, R>(items: T[], use: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = items.entries()
  const work = async () => {
    for (const [index, item] of rest) results[index] = await use(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work))
  return results
}
