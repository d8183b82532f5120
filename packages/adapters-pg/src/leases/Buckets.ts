import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Bucket } from "@place-access/domain/leases"

/** SQL: the bucket of a person. `Bucket.ofDigest` in the domain computes the same number. */
const bucketOf = (column: string): string => `get_byte(sha256(convert_to(${column}, 'UTF8')), 0) % ${Bucket.COUNT}`

/**
 * The end of a WHERE condition: only rows of people in these buckets. Empty for a worker that is alone, because such a
 * worker has all buckets. For a worker with a quarter of the buckets, PostgreSQL reads four rows for each row that it
 * returns. That is mostly cheap: PostgreSQL reads the index of due work in order, and stops at the limit.
 */
export const andOf = (sql: SqlClient, buckets: ReadonlyArray<number>, column = "user_id"): Fragment =>
  buckets.length === Bucket.COUNT ? sql`` : sql`AND ${sql.literal(bucketOf(column))} = ANY(${buckets}::integer[])`
