import type { LeaseKind } from "./Lease.js"

/** The outbox is leased by buckets. A person belongs to one of them, by the first six bits of the id's SHA-256. */
export const COUNT = 64

export const KIND: LeaseKind = { kind: "outbox", home: "outbox" }

export const ALL: ReadonlyArray<number> = Array.from({ length: COUNT }, (_, bucket) => bucket)

export const NAMES: ReadonlyArray<string> = ALL.map(String)

/** The bucket of a lease with this name. */
export const ofName = (name: string): number => Number(name)
