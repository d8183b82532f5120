import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Connection } from "@place-access/domain/connection"
import { ConnectionId, Scope, Sub } from "@place-access/domain/shared"
import { Schema } from "effect"
import { AppPath } from "../apps/AppsApi.js"
import { MayForbid } from "../openapi/ImpossibleErrors.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { At, NullableAt, paging, request } from "../wire/Fields.js"

/** A connection as its app's developer reads it (decisions §10). */
const AppUser = Schema.Struct({
  sub: Sub,
  external_user_id: Schema.NullOr(Schema.String),
  grant_id: ConnectionId.annotations({ description: "The connection's id, as in the app's events" }),
  live: Schema.Boolean,
  scopes: Schema.Array(Scope.Scope).annotations({
    description: "The scopes that the app can use now; empty for a connection that has ended"
  }),
  held_scopes: Schema.Array(Scope.Scope),
  grant_expires_at: NullableAt,
  sensitive_expires_at: NullableAt,
  sensitive_lapsed_at: NullableAt,
  renewal_grace_ends_at: NullableAt,
  connected_at: At,
  ended_at: NullableAt,
  end_reason: Schema.NullOr(Connection.EndReason)
}).annotations({ identifier: "AppUser" })

export const UsersApi = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/v1/developer/apps/:app_id/users")
      .annotate(MayForbid, "viewers of the team may not see the app's users")
      .annotate(OpenApi.Summary, "Who connected the app, newest first, ended connections included")
      .annotate(
        OpenApi.Description,
        "A user appears under the ids that the app knows (`sub`, `external_user_id`), never with account data."
      )
      .setPath(AppPath)
      .setUrlParams(request(paging(100, 500)))
      .addSuccess(Schema.Struct({ users: Schema.Array(AppUser), nextCursor: Schema.NullOr(Schema.String) }))
      .addError(Errors.NotFound)
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Users")
  .annotate(OpenApi.Description, "An app's users, for its developer")
