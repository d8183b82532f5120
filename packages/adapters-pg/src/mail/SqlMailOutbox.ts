import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Account } from "@place-access/domain/accounts"
import { type DueMail, type Mail, type MailAttempt, MailOutbox } from "@place-access/domain/mail"
import { UserId, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "../Failures.js"
import * as Buckets from "../leases/Buckets.js"
import { queue } from "./MailOutbox.js"
import * as Rows from "../driver/Rows.js"

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
  link_secret: Schema.NullOr(Vault.Sealed),
  created_at: Rows.At,
  attempts: Schema.Int
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
  ...(row.address === null ? {} : { address: row.address }),
  ...(row.link_secret === null ? {} : { secret: row.link_secret })
})

type Outbox = typeof MailOutbox.Service

export const layer: Layer.Layer<MailOutbox, never, SqlClient> = Layer.effect(
  MailOutbox,
  Effect.map(SqlClient, (sql) =>
    MailOutbox.of({
      put: (message, now) => queue(sql, message, now).pipe(sql.withTransaction, Effect.asVoid, orStoreError),
      due: due(sql),
      begin: begin(sql),
      finish: finish(sql),
      recent: recent(sql)
    })
  )
)

const DUE_COLUMNS = Rows.columns(MessageRow)

const due =
  (sql: SqlClient): Outbox["due"] =>
  (buckets, limit, now) =>
    sql`SELECT ${DUE_COLUMNS} FROM mail_outbox
        WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= ${Rows.at(now)} ${Buckets.andOf(sql, buckets)}
        ORDER BY due_at, dedupe_key COLLATE "C", user_id COLLATE "C" LIMIT ${limit}`.pipe(
      Rows.all(MessageRow),
      Effect.map((rows) => rows.map(toDue)),
      orStoreError
    )

const toDue = (row: typeof MessageRow.Type): DueMail => ({
  message: toMessage(row),
  createdAt: row.created_at,
  attempt: row.attempts + 1
})

/**
 * Begins an attempt: each attempt raises `attempts`, so when two workers begin the same attempt, only one of them
 * succeeds.
 */
const begin =
  (sql: SqlClient): Outbox["begin"] =>
  ({ attempt, message }, dueAt) =>
    change(sql, message, attempt - 1, sql`attempts = ${attempt}, due_at = ${Rows.at(dueAt)}`)

const finish =
  (sql: SqlClient): Outbox["finish"] =>
  ({ attempt, message }, how) =>
    change(sql, message, attempt, settingOf(sql, how))

/**
 * Changes a waiting message, if `attempts` is the number of its last attempt. Returns false when no message matches.
 */
const change = (sql: SqlClient, { dedupeKey, to }: MailAttempt["message"], attempts: number, setting: Fragment) =>
  Rows.affected(
    sql`UPDATE mail_outbox SET ${setting}
        WHERE user_id = ${to} AND dedupe_key = ${dedupeKey} AND attempts = ${attempts}
          AND sent_at IS NULL AND given_up_at IS NULL`
  ).pipe(
    Effect.map((written) => written === 1),
    orStoreError
  )

const settingOf = (sql: SqlClient, how: Parameters<Outbox["finish"]>[1]) => {
  switch (how._tag) {
    case "Sent":
      return sql`sent_at = ${Rows.at(how.at)}, address = NULL, link_secret = NULL`
    case "Retry":
      return sql`due_at = ${Rows.at(how.dueAt)}, last_error = ${Rows.storable(how.reason)}`
    case "GivenUp":
      return sql`given_up_at = ${Rows.at(how.at)}, last_error = ${Rows.storable(how.reason)}, address = NULL,
                 link_secret = NULL`
  }
}

const KeptRow = Schema.Struct({
  ...MessageRow.fields,
  sent_at: Rows.NullableAt,
  given_up_at: Rows.NullableAt,
  last_error: Schema.NullOr(Schema.String)
})

const KEPT_COLUMNS = Rows.columns(KeptRow)

const toKept = (row: typeof KeptRow.Type): Mail.KeptMail => ({
  message: toMessage(row),
  createdAt: row.created_at,
  attempts: row.attempts,
  sentAt: row.sent_at,
  givenUpAt: row.given_up_at,
  lastError: row.last_error
})

const recent =
  (sql: SqlClient): Outbox["recent"] =>
  (limit) =>
    sql`SELECT ${KEPT_COLUMNS} FROM mail_outbox ORDER BY created_at DESC LIMIT ${limit}`.pipe(
      Rows.all(KeptRow),
      Effect.map((rows) => rows.map(toKept)),
      orStoreError
    )
