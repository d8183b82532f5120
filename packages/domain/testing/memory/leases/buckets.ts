import * as Bucket from "../../../src/leases/Bucket.js"
import type { UserId } from "../../../src/shared/Ids.js"
import { sha256 } from "../vault/Sha256.js"
import * as Utf8 from "../vault/Utf8.js"

const known = new Map<UserId, number>()

/**
 * The bucket of a person. A worker leases whole buckets of people. The SQL stores compute the same bucket for each
 * person, so that a simulation with one seed gives the same trace with any store.
 */
export const bucketOf = (userId: UserId): number => {
  const found = known.get(userId)
  if (found !== undefined) return found
  const bucket = (sha256(Utf8.encode(userId))[0] ?? 0) % Bucket.COUNT
  known.set(userId, bucket)
  return bucket
}
