import { App, AppLogo, RedirectUri } from "@place-access/domain/apps"
import { AppId, Scope, UserId } from "@place-access/domain/shared"
import { Schema } from "effect"
import * as Rows from "../driver/Rows.js"
import * as SubmissionRow from "../reviews/SubmissionRow.js"

/** The columns of `apps` that make an `App`. The client secrets are not among them: `RegisteredRow` adds them. */
export const AppRow = Schema.Struct({
  app_id: AppId,
  owner_id: UserId,
  name: Schema.typeSchema(App.AppName),
  description: Schema.typeSchema(App.AppDescription),
  homepage_url: Schema.NullOr(App.HomepageUrl),
  logo: Schema.NullOr(AppLogo.LogoDigest),
  declared_scopes: Schema.Array(Scope.Scope),
  allowed_scopes: Schema.NullOr(Schema.Array(Scope.Scope)),
  redirect_uris: Schema.Array(RedirectUri.RedirectUri),
  status: App.AppStatus,
  approved_scopes: Schema.Array(Scope.Scope),
  approved_origins: Schema.Array(Schema.String),
  proposal: Schema.NullOr(App.Proposal),
  review_note: Schema.NullOr(Schema.String),
  ...SubmissionRow.fields,
  revoked_at: Rows.NullableAt,
  suspended_at: Rows.NullableAt,
  created_at: Rows.At
})
export type AppRow = typeof AppRow.Type

export const toApp = (row: AppRow): App.App => ({
  id: row.app_id,
  ownerId: row.owner_id,
  name: row.name,
  description: row.description,
  homepageUrl: row.homepage_url,
  logo: row.logo,
  declaredScopes: row.declared_scopes,
  allowedScopes: row.allowed_scopes,
  redirectUris: row.redirect_uris,
  status: row.status,
  approvedScopes: row.approved_scopes,
  approvedOrigins: row.approved_origins,
  proposal: row.proposal,
  reviewNote: row.review_note,
  ...SubmissionRow.toSubmittable(row),
  revokedAt: row.revoked_at,
  suspendedAt: row.suspended_at,
  createdAt: row.created_at
})

export const COLUMNS = Rows.columns(AppRow)
