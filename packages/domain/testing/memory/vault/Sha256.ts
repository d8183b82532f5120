/**
 * SHA-256 and HMAC-SHA256 (FIPS 180-4, RFC 2104) without platform APIs, so that the simulation runs wherever `effect`
 * runs. The time that these functions take depends on their input, so never use them in production.
 */

const BLOCK_BYTES = 64

/** The first 32 bits of the fractional part of a root of a prime (FIPS 180-4 §4.2.2, §5.3.3). */
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0

const PRIMES: ReadonlyArray<number> = Array.from({ length: 312 }, (_, n) => n).filter((n) => {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false
  return n >= 2
})
const ROUND_CONSTANTS = Int32Array.from(PRIMES.slice(0, 64), (prime) => fraction(Math.cbrt(prime)))
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

const at = (words: Int32Array, index: number): number => words[index] ?? 0

/** The message, then a 1 bit, 0 bits, and the length in bits. The result is a whole number of blocks. */
const pad = (message: Uint8Array): DataView => {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(padded.length - 4, message.length << 3)
  return view
}

export const sha256 = (message: Uint8Array): Uint8Array => {
  const state = Int32Array.from(INITIAL)
  const schedule = new Int32Array(64)
  const blocks = pad(message)
  for (let offset = 0; offset < blocks.byteLength; offset += BLOCK_BYTES) {
    for (let t = 0; t < 16; t++) schedule[t] = blocks.getInt32(offset + 4 * t)
    for (let t = 16; t < 64; t++) {
      const [w2, w15] = [at(schedule, t - 2), at(schedule, t - 15)]
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
      schedule[t] = (at(schedule, t - 16) + s0 + at(schedule, t - 7) + s1) | 0
    }
    compress(state, schedule)
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => digest.setInt32(4 * index, word))
  return new Uint8Array(digest.buffer)
}

const compress = (state: Int32Array, schedule: Int32Array): void => {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUND_CONSTANTS, t) + at(schedule, t)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + word
}

export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array => {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key)
  const inner = sha256(
    join(
      block.map((byte) => byte ^ 0x36),
      message
    )
  )
  return sha256(
    join(
      block.map((byte) => byte ^ 0x5c),
      inner
    )
  )
}

const join = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}
