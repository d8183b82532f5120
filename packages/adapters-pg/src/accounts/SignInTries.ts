import type { SqlClient } from "@effect/sql/SqlClient"
import { type AccountStore, SignInThrottle } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import { SWEPT_AT_ONCE, swept } from "./swept.js"

/** The methods of `AccountStore` for attempts to sign in. */

type Store = typeof AccountStore.Service

export const admit =
  (sql: SqlClient): Store["admitTry"] =>
  (tried, decide) =>
    Effect.gen(function* () {
      yield* lock(sql, tried)
      const now = yield* Timestamp.now
      const verdict = decide(yield* recent(sql, tried, now), now)
      if (verdict._tag === "Admitted") yield* insert(sql, tried, now)
      return { now, verdict }
    }).pipe(
      sql.withTransaction,
      Effect.tap(({ now, verdict }) =>
        verdict._tag === "Admitted" ? swept("expired sign-in tries", sweep(sql, now)) : Effect.void
      ),
      Effect.map(({ verdict }) => verdict),
      orStoreError
    )

/**
 * Takes advisory locks, which end with the transaction. There may be no row to lock, because an attempt may name an
 * e-mail address that has no account. Every caller locks the e-mail address first and the network address second, so
 * two callers cannot deadlock. The attempts of a known browser are counted separately, so they take only that browser's
 * lock.
 */
const lock = (sql: SqlClient, { address, browser, email }: SignInThrottle.SignInTry) =>
  browser !== null
    ? sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-in browser ${browser}`}, 0))`
    : sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sign-in e-mail ${email}`}, 0)),
             pg_advisory_xact_lock(hashtextextended(${`sign-in address ${address}`}, 0))`

const TryRow = Schema.Struct({
  of_account: Schema.Boolean,
  of_address: Schema.Boolean,
  of_browser: Schema.Boolean,
  tried_at: Rows.At,
  failed: Schema.Boolean
})

const toCounted = (row: typeof TryRow.Type): SignInThrottle.CountedTry => ({ at: row.tried_at, failed: row.failed })

const recent = (sql: SqlClient, { address, browser, email }: SignInThrottle.SignInTry, now: Timestamp.Timestamp) =>
  sql`SELECT browser IS NULL AND email = ${email} AND NOT forgotten AS of_account,
             browser IS NULL AND address = ${address} AS of_address,
             coalesce(browser = ${browser}, false) AND NOT forgotten AS of_browser, tried_at, failed
      FROM sign_in_tries
      WHERE (email = ${email} OR address = ${address} OR browser = ${browser})
        AND tried_at > ${Rows.at(Timestamp.plus(now, -SignInThrottle.WINDOW))}
      ORDER BY tried_at, try_id`.pipe(
    Rows.all(TryRow),
    Effect.map((rows) => ({
      ofAccount: rows.filter((row) => row.of_account).map(toCounted),
      ofAddress: rows.filter((row) => row.of_address).map(toCounted),
      ...(browser === null ? {} : { ofBrowser: rows.filter((row) => row.of_browser).map(toCounted) })
    }))
  )

const insert = (sql: SqlClient, { address, browser, email, id }: SignInThrottle.SignInTry, now: Timestamp.Timestamp) =>
  sql`INSERT INTO sign_in_tries (try_id, email, address, browser, tried_at, failed, forgotten)
      VALUES (${id}, ${email}, ${address}, ${browser}, ${Rows.at(now)}, false, false)`

const sweep = (sql: SqlClient, now: Timestamp.Timestamp) =>
  sql`DELETE FROM sign_in_tries WHERE try_id IN (
        SELECT try_id FROM sign_in_tries
        WHERE tried_at <= ${Rows.at(Timestamp.plus(now, -SignInThrottle.WINDOW))}
        ORDER BY tried_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`

export const fail =
  (sql: SqlClient): Store["failTry"] =>
  (id) =>
    sql`UPDATE sign_in_tries SET failed = true WHERE try_id = ${id}`.pipe(Effect.asVoid, orStoreError)

export const clear =
  (sql: SqlClient): Store["clearTries"] =>
  (tried) =>
    Effect.gen(function* () {
      yield* sql`DELETE FROM sign_in_tries WHERE try_id = ${tried.id}`
      yield* tried.browser === null
        ? sql`UPDATE sign_in_tries SET forgotten = true
              WHERE email = ${tried.email} AND browser IS NULL AND failed AND NOT forgotten`
        : sql`UPDATE sign_in_tries SET forgotten = true WHERE browser = ${tried.browser} AND failed AND NOT forgotten`
    }).pipe(sql.withTransaction, orStoreError)
