/** Lists by key. */
export const into = <K, V>(map: Map<K, Array<V>>, key: K, value: V): void => {
  const there = map.get(key)
  if (there === undefined) map.set(key, [value])
  else there.push(value)
}

/** For sorting: Infinity is as much as itself. */
export const ascending = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)
