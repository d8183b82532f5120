import { SqlClient } from "@effect/sql/SqlClient"
import {
  SqlAccountDeletionStore,
  SqlAccountStore,
  SqlPurposeStore,
  SqlServiceStore,
  SqlStaffStore
} from "@place-access/adapters-pg"
import { AccountStore } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp } from "@place-access/domain/shared"
import { AccountChange, SERVICE_COUNTED_MAX, ServiceStore, StaffStore } from "@place-access/domain/staff"
import { Fixtures } from "@place-access/domain/testing"
import { Effect, Either, Layer, Option } from "effect"
import { describe, expect, it } from "vitest"
import { START, withStores } from "../support/contracts.js"
import { migratedEmbedded } from "../support/embedded.js"

const stores = Layer.mergeAll(
  SqlAccountDeletionStore.layer,
  SqlAccountStore.layer,
  SqlPurposeStore.layer,
  SqlServiceStore.layer,
  SqlStaffStore.layer
)

describe("reads of accounts on a large service", () => {
  const run = withStores(migratedEmbedded, stores)

  /**
   * Makes more accounts than `SERVICE_COUNTED_MAX`, the number up to which the admin page counts. The newest account is
   * the only admin.
   */
  const filled = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
               SELECT 'usr_' || n, n || '@example.com', 'One of many', '', '{}',
                      ${new Date(START)}::timestamptz - n * interval '1 minute'
               FROM generate_series(1, ${SERVICE_COUNTED_MAX * 1.2}::integer) n`
    const admin = yield* Fixtures.user
    yield* sql`UPDATE accounts SET roles = '{admin}' WHERE user_id = ${admin.id}`
    yield* sql`ANALYZE accounts`
    return { admin, sql }
  })

  /** Counts how many times `work` reads the table from its beginning to its end. */
  const scans = <A, E, R>(sql: SqlClient, work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const count = sql`SELECT pg_stat_get_xact_numscans('accounts'::regclass)::integer AS scans`
      const before = yield* count
      yield* work
      const after = yield* count
      return Number(after[0]?.["scans"]) - Number(before[0]?.["scans"])
    }).pipe(sql.withTransaction)

  it("no read goes through the whole table: the last admin, the list, the number of people [staff-6]", async () => {
    const scanCounts = await run(
      Effect.gen(function* () {
        const { admin, sql } = yield* filled
        const [accounts, deletions] = [yield* AccountStore, yield* AccountDeletionStore]
        const [service, staff] = [yield* ServiceStore, yield* StaffStore]
        const now = yield* Timestamp.now
        const suspended = staff.change(admin.id, AccountChange.suspend(AuditEvent.OPERATOR))
        const deleted = deletions.begin(admin.id, AccountDeletion.decide)
        expect(Option.map(yield* suspended, Either.isLeft)).toEqual(Option.some(true))
        expect(Option.map(yield* deleted, Either.isLeft)).toEqual(Option.some(true))
        expect(yield* accounts.hasAnother([admin.id], ["reviewer", "admin"])).toBe(false)
        const { next } = yield* staff.list(500, undefined)
        return {
          suspended: yield* scans(sql, suspended),
          deleted: yield* scans(sql, deleted),
          another: yield* scans(sql, accounts.hasAnother([admin.id], ["reviewer", "admin"])),
          firstPage: yield* scans(sql, staff.list(500, undefined)),
          nextPage: yield* scans(sql, staff.list(500, next)),
          counts: yield* scans(sql, service.counts(now, now))
        }
      })
    )
    expect(scanCounts).toEqual({ suspended: 0, deleted: 0, another: 0, firstPage: 0, nextPage: 0, counts: 0 })
  })
})
