/** Adds a value to the list under the key, and creates the list when there is none. */
export const into = <K, V>(map: Map<K, Array<V>>, key: K, value: V): void => {
  const there = map.get(key)
  if (there === undefined) map.set(key, [value])
  else there.push(value)
}

/** A comparison for sorting in which Infinity equals itself (`a - b` would be NaN). */
export const ascending = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)
