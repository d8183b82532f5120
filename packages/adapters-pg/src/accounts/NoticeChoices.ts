import type { SqlClient } from "@effect/sql/SqlClient"
import { type AccountStore, NoticeKind } from "@place-access/domain/accounts"
import { UserId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"

/**
 * The methods of `AccountStore` for the notices that a person chose to get by mail. The choice is a column of the
 * account's row, so it is deleted with the account. Decision owner-notices-1.
 */

type Store = typeof AccountStore.Service

const ChoiceRow = Schema.Struct({ notices: Schema.NullOr(Schema.Array(NoticeKind)) })

export const find =
  (sql: SqlClient): Store["notices"] =>
  (id) =>
    sql`SELECT notices FROM accounts WHERE user_id = ${id}`.pipe(
      Rows.first(ChoiceRow),
      Effect.map(Option.match({ onNone: () => [], onSome: ({ notices }) => notices ?? [] })),
      orStoreError
    )

export const choose =
  (sql: SqlClient): Store["chooseNotices"] =>
  (id, kinds) =>
    sql`UPDATE accounts SET notices = ${kinds.length === 0 ? null : [...kinds]}::text[] WHERE user_id = ${id}`.pipe(
      Effect.asVoid,
      orStoreError
    )

/**
 * Reads the person's choice and locks the account. An imported archive adds notices to the choice. Because of the lock,
 * an import and the person's own change of the choice run one after the other. So an import adds to the newest choice,
 * and does not overwrite a choice that the person has just stored.
 */
export const lock = (sql: SqlClient, id: UserId) =>
  sql`SELECT notices FROM accounts WHERE user_id = ${id} FOR NO KEY UPDATE`

/** Adds notices to the person's choice, in the caller's transaction. Returns how many of the notices are new. */
export const add = (sql: SqlClient) => (id: UserId, kinds: ReadonlyArray<NoticeKind>) =>
  Effect.gen(function* () {
    const account = yield* lock(sql, id).pipe(Rows.first(ChoiceRow))
    if (Option.isNone(account)) return 0
    const chosen = account.value.notices ?? []
    const together = [...new Set([...chosen, ...kinds])].sort()
    if (together.length > chosen.length) yield* choose(sql)(id, together)
    return together.length - chosen.length
  })

const NotifiedRow = Schema.Struct({ user_id: UserId, notices: Schema.Array(NoticeKind) })

export const list =
  (sql: SqlClient): Store["listNotified"] =>
  ({ after, buckets, limit }) =>
    sql`SELECT user_id, notices FROM accounts
        WHERE notices IS NOT NULL AND user_id COLLATE "C" > ${after ?? ""} ${Buckets.andOf(sql, buckets)}
        ORDER BY user_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(NotifiedRow),
      Effect.map((rows) => rows.map(({ notices, user_id }) => ({ userId: user_id, kinds: notices }))),
      orStoreError
    )
