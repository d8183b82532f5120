import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { BearerAuth } from "../security/BearerAuth.js"
import { RequiredScope } from "../security/RequiredScope.js"
import { At, NullableAt } from "../wire/Fields.js"

/** A connection as its app reads it (Spec §2.2). */
export const Connection = Schema.Struct({
  sub: Schema.String,
  external_user_id: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope.Scope).annotations({
    description: "The scopes that the app can use now: granted, still declared, and not lapsed"
  }),
  held_scopes: Schema.Array(Scope.Scope),
  places_version: Schema.Int,
  grant_expires_at: NullableAt,
  sensitive_expires_at: NullableAt,
  sensitive_lapsed_at: NullableAt,
  renewal_grace_ends_at: NullableAt,
  connected_at: At
}).annotations({ identifier: "Connection" })

export const MeApi = HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("get", "/v1/me")
      .annotate(RequiredScope, "none")
      .annotate(OpenApi.Summary, "The connection that the token is for")
      .annotate(OpenApi.Description, "Any live access token suffices, whatever its scopes (Spec §5.8).")
      .addSuccess(Connection)
  )
  .middleware(BearerAuth)
  .annotate(OpenApi.Title, "Connection")
  .annotate(OpenApi.Description, "The connection of an access token: one user's approval of one app")
