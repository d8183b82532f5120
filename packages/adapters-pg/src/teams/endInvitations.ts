import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { UserId } from "@place-access/domain/shared"
import { TeamNotice } from "@place-access/domain/teams"
import { Effect, Schema } from "effect"
import * as Rows from "../driver/Rows.js"

const InvitationRow = Schema.Struct({ invitation_id: Schema.String, email: Schema.String })

/**
 * Deletes the invitations for which the condition `which` is true. Their mails that wait to be sent are deleted too,
 * because the invitation that they announce no longer exists. Mails that were sent stay, because the archive lists them
 * (decision exports-6).
 */
export const endInvitations = (sql: SqlClient, which: Fragment) =>
  Effect.gen(function* () {
    const gone = yield* sql`DELETE FROM app_invitations WHERE ${which} RETURNING invitation_id, email`.pipe(
      Rows.all(InvitationRow)
    )
    if (gone.length === 0) return
    const invitees = yield* sql`SELECT user_id FROM accounts
        WHERE email = ANY(${gone.map((row) => row.email)}::text[])`.pipe(Rows.all(Schema.Struct({ user_id: UserId })))
    yield* sql`DELETE FROM mail_outbox
               WHERE user_id = ANY(${invitees.map((row) => row.user_id)}::text[])
                 AND sent_at IS NULL AND given_up_at IS NULL
                 AND dedupe_key = ANY(${gone.map((row) => TeamNotice.invitationKey(row.invitation_id))}::text[])`
  })
