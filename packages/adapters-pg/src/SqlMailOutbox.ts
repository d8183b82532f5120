import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { type Claimed, type Mail, MailOutbox } from "@place-access/domain/mail"
import { UserId } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "./Failures.js"
import { queue } from "./MailOutbox.js"
import * as Rows from "./Rows.js"

const Site = Schema.Literal("portal", "service")

const MessageRow = Schema.Struct({
  user_id: UserId,
  dedupe_key: Schema.String,
  subject: Schema.String,
  body: Schema.String,
  link_site: Schema.NullOr(Site),
  link_path: Schema.NullOr(Schema.String),
  link_label: Schema.NullOr(Schema.String),
  further_links: Schema.NullOr(Schema.Array(Schema.Struct({ site: Site, path: Schema.String, label: Schema.String }))),
  address: Schema.NullOr(Schema.typeSchema(Account.Email)),
  created_at: Rows.At,
  attempts: Schema.Int
})

const KeptRow = Schema.Struct({
  ...MessageRow.fields,
  sent_at: Rows.NullableAt,
  given_up_at: Rows.NullableAt,
  last_error: Schema.NullOr(Schema.String)
})

const toMessage = (row: typeof MessageRow.Type): Mail.MailMessage => ({
  to: row.user_id,
  dedupeKey: row.dedupe_key,
  subject: row.subject,
  body: row.body,
  ...(row.link_site === null || row.link_path === null || row.link_label === null
    ? {}
    : { link: { site: row.link_site, path: row.link_path, label: row.link_label } }),
  ...(row.further_links === null ? {} : { furtherLinks: row.further_links }),
  ...(row.address === null ? {} : { address: row.address })
})

const toKept = (row: typeof KeptRow.Type): Mail.Kept => ({
  message: toMessage(row),
  createdAt: row.created_at,
  attempts: row.attempts,
  sentAt: row.sent_at,
  givenUpAt: row.given_up_at,
  lastError: row.last_error
})

export const layer: Layer.Layer<MailOutbox, never, SqlClient> = Layer.effect(
  MailOutbox,
  Effect.map(SqlClient, (sql) => {
    const columns = (alias: string, fields: object) =>
      sql.literal(
        Object.keys(fields)
          .map((name) => `${alias}.${name}`)
          .join(", ")
      )
    const claimed = columns("m", MessageRow.fields)
    const kept = columns("m", KeptRow.fields)

    return MailOutbox.of({
      put: (message, now) => queue(sql, message, now).pipe(sql.withTransaction, Effect.asVoid, orStoreError),

      claim: (limit, now, leaseUntil) =>
        sql`WITH due AS (
              SELECT user_id, dedupe_key, due_at FROM mail_outbox
              WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= ${Rows.at(now)}
              ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ), claimed AS (
              UPDATE mail_outbox m SET attempts = m.attempts + 1, due_at = ${Rows.at(leaseUntil)} FROM due d
              WHERE m.user_id = d.user_id AND m.dedupe_key = d.dedupe_key
              RETURNING ${claimed}, d.due_at AS was_due_at
            )
            SELECT * FROM claimed ORDER BY was_due_at`.pipe(
          Rows.all(MessageRow),
          Effect.map((rows) =>
            rows.map((row): Claimed => ({ message: toMessage(row), createdAt: row.created_at, attempt: row.attempts }))
          ),
          orStoreError
        ),

      finish: ({ attempt, message }, how) => {
        const change =
          how._tag === "Sent"
            ? sql`sent_at = ${Rows.at(how.at)}, address = NULL`
            : how._tag === "Retry"
              ? sql`due_at = ${Rows.at(how.dueAt)}, last_error = ${how.reason}`
              : sql`given_up_at = ${Rows.at(how.at)}, last_error = ${how.reason}, address = NULL`
        return Rows.affected(
          sql`UPDATE mail_outbox SET ${change}
              WHERE user_id = ${message.to} AND dedupe_key = ${message.dedupeKey} AND attempts = ${attempt}
                AND sent_at IS NULL AND given_up_at IS NULL`
        ).pipe(
          Effect.map((written) => written === 1),
          orStoreError
        )
      },

      recent: (limit) =>
        sql`SELECT ${kept} FROM mail_outbox m ORDER BY m.created_at DESC LIMIT ${limit}`.pipe(
          Rows.all(KeptRow),
          Effect.map((rows) => rows.map(toKept)),
          orStoreError
        )
    })
  })
)
