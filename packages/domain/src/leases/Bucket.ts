import type { LeaseKind } from "./Lease.js"

/** The outbox is leased by buckets. A person belongs to one of them, by the first six bits of the id's SHA-256. */
export const COUNT = 64

export const KIND: LeaseKind = { kind: "outbox", home: "outbox" }

export const ALL: ReadonlyArray<number> = Array.from({ length: COUNT }, (_, bucket) => bucket)

export const NAMES: ReadonlyArray<string> = ALL.map(String)

/** The bucket of a lease with this name. */
export const ofName = (name: string): number => Number(name)

/** The bucket of the person whose id has this SHA-256, in hexadecimal digits. The SQL stores compute the same one. */
export const ofDigest = (sha256: string): number => Number.parseInt(sha256.slice(0, 2), 16) % COUNT
