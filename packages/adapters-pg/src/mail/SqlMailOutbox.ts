import { SqlClient } from "@effect/sql/SqlClient"
import { Account } from "@place-access/domain/accounts"
import { type ClaimedMail, type Mail, MailOutbox } from "@place-access/domain/mail"
import { UserId, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Schema } from "effect"
import { orStoreError } from "../Failures.js"
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
      claim: claim(sql),
      finish: finish(sql),
      recent: recent(sql)
    })
  )
)

const DueRow = Schema.Struct({ user_id: UserId, dedupe_key: Schema.String })

const CLAIMED_COLUMNS = Rows.columns(MessageRow)

const claim =
  (sql: SqlClient): Outbox["claim"] =>
  (limit, now, leaseUntil) =>
    Effect.gen(function* () {
      const isDue = sql`sent_at IS NULL AND given_up_at IS NULL AND due_at <= ${Rows.at(now)}`
      const due = yield* sql`SELECT user_id, dedupe_key FROM mail_outbox WHERE ${isDue}
                             ORDER BY due_at, dedupe_key COLLATE "C", user_id COLLATE "C" LIMIT ${limit}`.pipe(
        Rows.all(DueRow)
      )
      // Each on its reader's shard. A message that another worker took meanwhile is no longer due, and left out.
      const rows = yield* Effect.forEach(due, (row) =>
        sql`UPDATE mail_outbox SET attempts = attempts + 1, due_at = ${Rows.at(leaseUntil)}
            WHERE user_id = ${row.user_id} AND dedupe_key = ${row.dedupe_key} AND ${isDue}
            RETURNING ${CLAIMED_COLUMNS}`.pipe(Rows.all(MessageRow))
      )
      return rows.flat().map(toClaimed)
    }).pipe(orStoreError)

const toClaimed = (row: typeof MessageRow.Type): ClaimedMail => ({
  message: toMessage(row),
  createdAt: row.created_at,
  attempt: row.attempts
})

/** Writes nothing when another worker has claimed the message since: the claim raised its `attempts`. */
const finish =
  (sql: SqlClient): Outbox["finish"] =>
  ({ attempt, message }, how) =>
    Rows.affected(
      sql`UPDATE mail_outbox SET ${settingOf(sql, how)}
          WHERE user_id = ${message.to} AND dedupe_key = ${message.dedupeKey} AND attempts = ${attempt}
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
      return sql`due_at = ${Rows.at(how.dueAt)}, last_error = ${how.reason}`
    case "GivenUp":
      return sql`given_up_at = ${Rows.at(how.at)}, last_error = ${how.reason}, address = NULL, link_secret = NULL`
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
