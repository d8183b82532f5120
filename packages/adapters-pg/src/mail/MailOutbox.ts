import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Mail, NamedMail } from "@place-access/domain/mail"
import type { Timestamp } from "@place-access/domain/shared"
import { Effect, Option, type ParseResult, Schema } from "effect"
import * as Rows from "../driver/Rows.js"

const CountRow = Schema.Struct({
  named_at: Schema.Array(Rows.At),
  folded_at: Rows.NullableAt,
  leak_folded_at: Rows.NullableAt
})

/**
 * Queues a message in the caller's transaction, unless the reader has a message with this `dedupeKey` already. Messages
 * that name an app also have a limit for each reader. A message that names no app takes one statement, which can be
 * sent together with the COMMIT.
 */
export const queue = (
  sql: SqlClient,
  message: Mail.MailMessage,
  now: Timestamp.Timestamp
): Effect.Effect<unknown, SqlError | ParseResult.ParseError> =>
  message.naming === undefined ? insert(sql, message, now) : queueNamed(sql, message, now)

/**
 * Queues a message that names an app. When the reader has reached the limit, `NamedMail.decide` may replace the message
 * or leave it out. The function first locks the reader's count. So when two transactions write at the same time, the
 * second sees the message of the first.
 */
const queueNamed = (sql: SqlClient, named: Mail.MailMessage, now: Timestamp.Timestamp) =>
  Effect.gen(function* () {
    const before = yield* lock(sql, named, now)
    const written =
      yield* sql`SELECT 1 FROM mail_outbox WHERE user_id = ${named.to} AND dedupe_key = ${named.dedupeKey}`
    if (written.length > 0) return
    const { count, message } = NamedMail.decide(before, named, now)
    yield* sql`UPDATE named_mail SET named_at = ${count.namedAt.map(Rows.at)}::timestamptz[],
                 folded_at = ${Rows.nullableAt(count.foldedAt)},
                   leak_folded_at = ${Rows.nullableAt(count.leakFoldedAt)},
                 last_at = ${Rows.at(NamedMail.lastAt(count))}
               WHERE user_id = ${named.to}`
    if (message !== null) yield* insert(sql, message, now)
  })

/**
 * Locks the reader's row, in one statement that also inserts a missing row, so that a sweep cannot delete the row in
 * between.
 */
const lock = (sql: SqlClient, { to }: Mail.MailMessage, now: Timestamp.Timestamp) =>
  sql`INSERT INTO named_mail (user_id, named_at, folded_at, leak_folded_at, last_at) VALUES (${to}, '{}', NULL, NULL, ${Rows.at(now)})
      ON CONFLICT (user_id) DO UPDATE SET last_at = named_mail.last_at
      RETURNING named_at, folded_at, leak_folded_at`.pipe(
    Rows.first(CountRow),
    Effect.map(
      Option.match({
        onNone: () => NamedMail.none,
        onSome: (row): NamedMail.NamedMailCount => ({
          namedAt: row.named_at,
          foldedAt: row.folded_at,
          leakFoldedAt: row.leak_folded_at
        })
      })
    )
  )

const insert = (sql: SqlClient, message: Mail.MailMessage, now: Timestamp.Timestamp) =>
  sql`INSERT INTO mail_outbox (user_id, dedupe_key, subject, body, link_site, link_path, link_label, further_links, address,
        link_secret, created_at, due_at)
      VALUES (${message.to}, ${message.dedupeKey}, ${message.subject}, ${message.body}, ${message.link?.site ?? null},
        ${message.link?.path ?? null}, ${message.link?.label ?? null},
        ${message.furtherLinks === undefined ? null : Rows.json(message.furtherLinks)}::jsonb,
        ${message.address ?? null}, ${message.secret ?? null}, ${Rows.at(now)}, ${Rows.at(now)})
      ON CONFLICT (user_id, dedupe_key) DO NOTHING`
