/**
 * The random number generator sfc32. It returns whole numbers of 32 bits. One seed and salt give the same numbers in
 * every process. Anybody who knows the seed can predict the numbers, so never use these numbers as secrets.
 */
export const sfc32 = (seed: number, salt: number): (() => number) => {
  let [a, b, c, counter] = [salt | 0, seed | 0, Math.trunc(seed / 2 ** 32) | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first 12 numbers are dropped, because they still resemble the seed.
  for (let warmUp = 0; warmUp < 12; warmUp++) next()
  return next
}
