import { SqlClient } from "@effect/sql/SqlClient"
import { App, AppLogo, AppStore, type Registered } from "@place-access/domain/apps"
import { AccountLimits } from "@place-access/domain/quotas"
import { LiveRule } from "@place-access/domain/rules"
import { Page, type Scope, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer, Option, Schema } from "effect"
import * as AuditLog from "../audit/SqlAuditLog.js"
import { reads } from "../driver/Client.js"
import * as Rows from "../driver/Rows.js"
import * as TimePosition from "../driver/TimePosition.js"
import { orStoreError } from "../Failures.js"
import * as ReviewWrites from "../reviews/ReviewWrites.js"
import { columnsOf } from "../reviews/SubmissionRow.js"
import { activeMembersOf, membersOf } from "../teams/SqlTeamStore.js"
import { AppRow, COLUMNS, toApp } from "./AppRow.js"
import { type LockAppsOnCluster, lockAppsOnCluster } from "./appsLock.js"
import { REGISTERED_COLUMNS, RegisteredRow, toRegistered, toSecrets } from "./RegisteredRow.js"

type Store = typeof AppStore.Service

export const layer: Layer.Layer<AppStore, never, SqlClient> = Layer.effect(
  AppStore,
  Effect.map(SqlClient, (sql) =>
    AppStore.of({
      create: create(sql, lockAppsOnCluster(sql)),
      find: find(sql),
      findLogo: findLogo(sql),
      findRegistered: findRegistered(sql),
      members: (id) => orStoreError(membersOf(sql, id)),
      listOf: listOf(sql),
      list: list(sql),
      update: update(sql)
    })
  )
)

const create =
  (sql: SqlClient, lockApps: LockAppsOnCluster): Store["create"] =>
  (app) => {
    const { revision, submittedAt, submittedRevision } = columnsOf(app)
    const insert = sql`INSERT INTO apps (app_id, owner_id, name, description, homepage_url, logo, declared_scopes,
                                 allowed_scopes, redirect_uris, client_secrets, status, approved_scopes,
                                 approved_origins, proposal, review_note, revision, submitted_at,
                                 submitted_revision, revoked_at, created_at)
        VALUES (${app.id}, ${app.ownerId}, ${app.name}, ${app.description}, ${app.homepageUrl}, ${app.logo},
                ${app.declaredScopes}, ${app.allowedScopes}, ${app.redirectUris}, ${toSecrets([])}::jsonb,
                ${app.status}, ${app.approvedScopes}, ${app.approvedOrigins}, ${toProposal(app)}::jsonb,
                ${app.reviewNote}, ${revision}, ${submittedAt}, ${submittedRevision},
                ${Rows.nullableAt(app.revokedAt)}, ${Rows.at(app.createdAt)})`
    return Effect.gen(function* () {
      yield* lockApps(app.ownerId)
      // Because of this lock, two apps of one owner are created one after the other. So the second creation counts the
      // first app, and the limit of apps is kept. A deletion or suspension of the owner also waits for this lock, and
      // then finds the new app.
      const owner = yield* sql`SELECT suspended_at IS NOT NULL AS is_suspended FROM accounts
                               WHERE user_id = ${app.ownerId} FOR NO KEY UPDATE`.pipe(Rows.first(OwnerRow))
      if (!Option.exists(owner, ({ is_suspended: isSuspended }) => !isSuspended)) return "NoOwner" as const
      const counted = yield* sql`SELECT count(*) AS count FROM apps WHERE owner_id = ${app.ownerId}`.pipe(
        Rows.first(CountRow)
      )
      if (Option.exists(counted, ({ count }) => count >= AccountLimits.APPS.most)) return "Full" as const
      yield* insert
      return "Made" as const
    }).pipe(sql.withTransaction, orStoreError)
  }

const OwnerRow = Schema.Struct({ is_suspended: Schema.Boolean })
const CountRow = Schema.Struct({ count: Rows.Bigint })

const LogoRow = Schema.Struct({ png: Schema.NullOr(AppLogo.LogoPng) })

const findLogo =
  (sql: SqlClient): Store["findLogo"] =>
  (id, digest) =>
    sql`SELECT logos ->> ${digest}::text AS png FROM apps WHERE app_id = ${id}`.pipe(
      Rows.first(LogoRow),
      Effect.map(Option.flatMapNullable(({ png }) => png)),
      orStoreError
    )

const toProposal = ({ proposal }: App.App): string | null => (proposal === null ? null : Rows.json(proposal))

const find =
  (sql: SqlClient): Store["find"] =>
  (id) =>
    sql`SELECT ${COLUMNS} FROM apps WHERE app_id = ${id}`.pipe(
      Rows.first(AppRow),
      Effect.map(Option.map(toApp)),
      orStoreError
    )

/**
 * Each request for tokens authenticates its app, so this statement is sent with `reads`, on connections that several
 * requests share.
 */
const findRegistered =
  (sql: SqlClient): Store["findRegistered"] =>
  (id) =>
    reads(sql)`SELECT ${REGISTERED_COLUMNS} FROM apps WHERE app_id = ${id}`.pipe(
      Rows.first(RegisteredRow),
      Effect.map(Option.map(toRegistered)),
      orStoreError
    )

const listOf =
  (sql: SqlClient): Store["listOf"] =>
  (userId, limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const rest =
        position === undefined
          ? sql``
          : sql`AND (created_at, app_id COLLATE "C") > (${Rows.at(position[0])}, ${position[1]})`
      const rows = yield* sql`SELECT ${COLUMNS} FROM apps
                              WHERE (owner_id = ${userId}
                                OR app_id IN (SELECT app_id FROM app_members WHERE user_id = ${userId})) ${rest}
                              ORDER BY created_at, app_id COLLATE "C" LIMIT ${limit + 1}`.pipe(Rows.all(AppRow))
      return Page.of(rows.map(toApp), limit, (last) => [last.createdAt, last.id])
    }).pipe(orStoreError)

const list =
  (sql: SqlClient): Store["list"] =>
  (limit, after) =>
    Effect.gen(function* () {
      const position = yield* TimePosition.decode(after)
      const rest =
        position === undefined
          ? sql``
          : sql`WHERE (created_at, app_id COLLATE "C") < (${Rows.at(position[0])}, ${position[1]})`
      const rows = yield* sql`SELECT ${COLUMNS} FROM apps ${rest}
                              ORDER BY created_at DESC, app_id COLLATE "C" DESC LIMIT ${limit + 1}`.pipe(
        Rows.all(AppRow)
      )
      return Page.of(rows.map(toApp), limit, (last) => [last.createdAt, last.id])
    }).pipe(orStoreError)

const update =
  (sql: SqlClient): Store["update"] =>
  (id, decide) =>
    Effect.gen(function* () {
      const locked = yield* sql`SELECT ${REGISTERED_COLUMNS} FROM apps WHERE app_id = ${id} FOR UPDATE`.pipe(
        Rows.first(RegisteredRow)
      )
      if (Option.isNone(locked)) return Option.none()
      const before = toRegistered(locked.value)
      const now = yield* Timestamp.now
      const { outcome, after, audit, logo, recorded } = decide(before, now, yield* activeMembersOf(sql, id))
      if (after !== null) yield* write(sql, before.app, after, now)
      if (after !== null) yield* writeLogos(sql, before.app, after.app, logo)
      yield* ReviewWrites.record(sql, recorded)
      if (audit !== undefined) yield* AuditLog.append(sql, audit)
      return Option.some(outcome)
    }).pipe(sql.withTransaction, orStoreError)

const logosOf = ({ logo, proposal }: App.App): ReadonlyArray<string> =>
  [logo, proposal?.logo ?? null].filter((digest) => digest !== null)

/**
 * Adds a new logo, and deletes logos that the app does not name any more. Logos are large and change rarely, so the
 * statement that writes the app leaves them out.
 */
const writeLogos = (sql: SqlClient, before: App.App, after: App.App, logo: AppLogo.Logo | undefined) => {
  const named = logosOf(after)
  if (named.join() === logosOf(before).join()) return Effect.void
  const added = Rows.json(logo === undefined ? {} : { [logo.digest]: logo.png })
  return sql`UPDATE apps SET logos = (
        SELECT coalesce(jsonb_object_agg(kept.key, kept.value), '{}')
        FROM jsonb_each(logos || ${added}::jsonb) AS kept WHERE kept.key = ANY(${named}::text[])
      ) WHERE app_id = ${after.id}`
}

/**
 * Writes the app. When the app regains the scope of its place rules or zone rules, this function also stores the time
 * from which those rules work again (decision L8).
 */
const write = (sql: SqlClient, before: App.App, { app, secrets }: Registered, now: Timestamp.Timestamp) => {
  const regained = (scope: Scope.Scope) => LiveRule.isRegained(scope, App.scopes(before), App.scopes(app))
  const { revision, submittedAt, submittedRevision } = columnsOf(app)
  return sql`UPDATE apps SET
        name = ${app.name},
        description = ${app.description},
        homepage_url = ${app.homepageUrl},
        logo = ${app.logo},
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
        place_rules_since = CASE WHEN ${regained(LiveRule.PLACE_SCOPE)} THEN ${Rows.at(now)}
          ELSE place_rules_since END,
        zone_rules_since = CASE WHEN ${regained(LiveRule.ZONE_SCOPE)} THEN ${Rows.at(now)} ELSE zone_rules_since END
      WHERE app_id = ${before.id}`
}
