import type { SqlClient } from "@effect/sql/SqlClient"
import type { Mail } from "@place-access/domain/mail"
import type { Timestamp } from "@place-access/domain/shared"
import * as Rows from "./Rows.js"

/** Queues a message in the caller's transaction; once for each key of its reader. */
export const queue = (sql: SqlClient, message: Mail.MailMessage, now: Timestamp.Timestamp) =>
  sql`INSERT INTO mail_outbox (user_id, dedupe_key, subject, body, link_site, link_path, link_label, further_links, address,
        created_at, due_at)
      VALUES (${message.to}, ${message.dedupeKey}, ${message.subject}, ${message.body}, ${message.link?.site ?? null},
        ${message.link?.path ?? null}, ${message.link?.label ?? null},
        ${message.furtherLinks === undefined ? null : Rows.json(message.furtherLinks)}::jsonb,
        ${message.address ?? null}, ${Rows.at(now)}, ${Rows.at(now)})
      ON CONFLICT (user_id, dedupe_key) DO NOTHING`
