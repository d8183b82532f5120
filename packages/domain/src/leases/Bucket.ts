/**
 * The number of buckets. A worker leases a whole bucket of people. A person's bucket is the first byte of the SHA-256
 * of the person's id, modulo 64.
 */
export const COUNT = 64

export const ALL: ReadonlyArray<number> = Array.from({ length: COUNT }, (_, bucket) => bucket)

export const NAMES: ReadonlyArray<string> = ALL.map(String)

/** The bucket of the lease with the kind `people` and this name: the name is the bucket's number. */
export const ofName = (name: string): number => Number(name)

/** The bucket of the person whose id has this SHA-256, in hexadecimal. The SQL stores compute the same number. */
export const ofDigest = (sha256: string): number => Number.parseInt(sha256.slice(0, 2), 16) % COUNT
