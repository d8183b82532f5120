import { SqlClient } from "@effect/sql/SqlClient"
import { App, AppStore, type ClientSecret, type Registered } from "@place-access/domain/apps"
import { LiveRule } from "@place-access/domain/rules"
import { type AppId, Page, type Scope, Timestamp, Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import { AppRow, toApp } from "./AppRow.js"
import { reads } from "./client/Client.js"
import { orStoreError } from "./Failures.js"
import * as ReviewWrites from "./ReviewWrites.js"
import * as Rows from "./Rows.js"
import { columnsOf } from "./SubmissionRow.js"

/** In jsonb, newest first; times as whole milliseconds. */
const Secret = Schema.Struct({
  hash: Vault.Hash,
  createdAt: Timestamp.Timestamp,
  expiresAt: Schema.NullOr(Timestamp.Timestamp)
})

const RegisteredRow = Schema.Struct({ ...AppRow.fields, client_secrets: Schema.Array(Secret) })

const toRegistered = (row: typeof RegisteredRow.Type): Registered => ({
  app: toApp(row),
  secrets: row.client_secrets.map((secret) => ({ appId: row.app_id, ...secret }))
})

const toSecrets = (secrets: ReadonlyArray<ClientSecret.ClientSecret>): string =>
  Rows.json(secrets.map(({ hash, createdAt, expiresAt }): typeof Secret.Type => ({ hash, createdAt, expiresAt })))

const toProposal = ({ proposal }: App.App): string | null => (proposal === null ? null : Rows.json(proposal))

/** Where a page goes on: time of creation and id of the last app. */
const Position = Schema.Tuple(Timestamp.Timestamp, Schema.String)

export const layer: Layer.Layer<AppStore, never, SqlClient> = Layer.effect(
  AppStore,
  Effect.map(SqlClient, (sql) => {
    const appColumns = sql.literal(Object.keys(AppRow.fields).join(", "))
    const allColumns = sql.literal(Object.keys(RegisteredRow.fields).join(", "))

    const lock = (id: AppId) =>
      sql`SELECT ${allColumns} FROM apps WHERE app_id = ${id} FOR UPDATE`.pipe(
        Rows.first(RegisteredRow),
        Effect.map(Option.map(toRegistered))
      )

    const write = (id: AppId, before: App.App, { app, secrets }: Registered, now: Timestamp.Timestamp) => {
      const regained = (scope: Scope.Scope) => LiveRule.isRegained(scope, App.scopes(before), App.scopes(app))
      const { revision, submittedAt, submittedRevision } = columnsOf(app)
      return sql`UPDATE apps SET
            name = ${app.name},
            description = ${app.description},
            homepage_url = ${app.homepageUrl},
            declared_scopes = ${app.declaredScopes},
            allowed_scopes = ${app.allowedScopes},
            redirect_uris = ${app.redirectUris},
            client_secrets = ${toSecrets(secrets)}::jsonb,
            status = ${app.status},
            approved_scopes = ${app.approvedScopes},
            approved_origins = ${app.approvedOrigins},
            proposal = ${toProposal(app)}::jsonb,
            review_note = ${app.reviewNote},
            revision = ${revision},
            submitted_at = ${submittedAt},
            submitted_revision = ${submittedRevision},
            revoked_at = ${Rows.nullableAt(app.revokedAt)},
            place_rules_since = CASE WHEN ${regained(LiveRule.PLACE_SCOPE)} THEN ${Rows.at(now)} ELSE place_rules_since END,
            zone_rules_since = CASE WHEN ${regained(LiveRule.ZONE_SCOPE)} THEN ${Rows.at(now)} ELSE zone_rules_since END
          WHERE app_id = ${id}`
    }

    return AppStore.of({
      create: (app) => {
        const { revision, submittedAt, submittedRevision } = columnsOf(app)
        return sql`INSERT INTO apps (app_id, owner_id, name, description, homepage_url, declared_scopes, allowed_scopes,
                                     redirect_uris, client_secrets, status, approved_scopes, approved_origins, proposal,
                                     review_note, revision, submitted_at, submitted_revision, revoked_at, created_at)
            VALUES (${app.id}, ${app.ownerId}, ${app.name}, ${app.description}, ${app.homepageUrl},
                    ${app.declaredScopes}, ${app.allowedScopes}, ${app.redirectUris}, ${toSecrets([])}::jsonb,
                    ${app.status}, ${app.approvedScopes}, ${app.approvedOrigins}, ${toProposal(app)}::jsonb,
                    ${app.reviewNote}, ${revision}, ${submittedAt}, ${submittedRevision},
                    ${Rows.nullableAt(app.revokedAt)}, ${Rows.at(app.createdAt)})`.pipe(Effect.asVoid, orStoreError)
      },

      find: (id) =>
        sql`SELECT ${appColumns} FROM apps WHERE app_id = ${id}`.pipe(
          Rows.first(AppRow),
          Effect.map(Option.map(toApp)),
          orStoreError
        ),

      findRegistered: (id) =>
        reads(sql)`SELECT ${allColumns} FROM apps WHERE app_id = ${id}`.pipe(
          Rows.first(RegisteredRow),
          Effect.map(Option.map(toRegistered)),
          orStoreError
        ),

      listOwnedBy: (ownerId, limit, after) =>
        Effect.gen(function* () {
          const position = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
          const rest =
            position === undefined
              ? sql``
              : sql`AND (created_at, app_id COLLATE "C") > (${Rows.at(position[0])}, ${position[1]})`
          const rows = yield* sql`SELECT ${appColumns} FROM apps WHERE owner_id = ${ownerId} ${rest}
                                  ORDER BY created_at, app_id COLLATE "C" LIMIT ${limit + 1}`.pipe(Rows.all(AppRow))
          return Page.of(rows.map(toApp), limit, (last) => [last.createdAt, last.id])
        }).pipe(orStoreError),

      list: (limit, after) =>
        Effect.gen(function* () {
          const position = after === undefined ? undefined : yield* Schema.decodeUnknown(Position)(after)
          const rest =
            position === undefined
              ? sql``
              : sql`WHERE (created_at, app_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`
          const rows = yield* sql`SELECT ${appColumns} FROM apps ${rest}
                                  ORDER BY created_at DESC, app_id COLLATE "C" DESC LIMIT ${limit + 1}`.pipe(
            Rows.all(AppRow)
          )
          return Page.of(rows.map(toApp), limit, (last) => [last.createdAt, last.id])
        }).pipe(orStoreError),

      update: (id, decide) =>
        Effect.gen(function* () {
          const before = yield* lock(id)
          if (Option.isNone(before)) return Option.none()
          const now = yield* Timestamp.now
          const { outcome, after, recorded } = decide(before.value, now)
          if (after !== null) yield* write(id, before.value.app, after, now)
          yield* ReviewWrites.record(sql, recorded)
          return Option.some(outcome)
        }).pipe(sql.withTransaction, orStoreError)
    })
  })
)
