import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Bucket } from "@place-access/domain/leases"

/** Computed in the same way wherever a person's bucket is needed, and in the domain (`Bucket.ofDigest`). */
const bucketOf = (column: string): string => `get_byte(sha256(convert_to(${column}, 'UTF8')), 0) % ${Bucket.COUNT}`

/**
 * The end of a condition: only rows of people of these buckets. The only worker names all buckets, and then the
 * condition is left out. A worker that holds a quarter of the buckets reads four rows for each one that it gets. That
 * is cheap, because the index of due work is read from its beginning.
 */
export const andOf = (sql: SqlClient, buckets: ReadonlyArray<number>, column = "user_id"): Fragment =>
  buckets.length === Bucket.COUNT ? sql`` : sql`AND ${sql.literal(bucketOf(column))} = ANY(${buckets}::integer[])`
