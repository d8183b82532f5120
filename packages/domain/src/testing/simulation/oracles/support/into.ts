/** Lists by key. */
export const into = <K, V>(map: Map<K, Array<V>>, key: K, value: V): void => {
  const there = map.get(key)
  if (there === undefined) map.set(key, [value])
  else there.push(value)
}
