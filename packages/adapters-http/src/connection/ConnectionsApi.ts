import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { App } from "@place-access/domain/apps"
import { Connection as Domain } from "@place-access/domain/connection"
import { Place } from "@place-access/domain/places"
import { AppId, ConnectionId, PlaceId, Scope } from "@place-access/domain/shared"
import { Schema } from "effect"
import { STATUS } from "../apps/AppsApi.js"
import { SessionAuth } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { At, NullableAt, paging, request } from "../wire/Fields.js"
import { ConnectionIdText } from "../wire/PathIds.js"
import { PauseBody, Uses } from "./ConsentsApi.js"

/** A connection as its user reads it. It never contains the app's `sub` or `external_user_id` (Spec §2.1). */
export const UserConnection = Schema.Struct({
  id: ConnectionId,
  app: Schema.Struct({
    id: AppId,
    name: Schema.String,
    description: Schema.String,
    homepage_url: Schema.NullOr(Schema.String),
    logo: Schema.NullOr(Schema.String).annotations({
      description:
        "The digest of the logo, which is at `/app-logos/{app_id}/{logo}.png`; null: the app has no logo, or is not in production"
    }),
    status: App.AppStatus.annotations(STATUS)
  }),
  live: Schema.Boolean,
  on_hold: Schema.Boolean.annotations({
    description: "Whether the service has put the app on hold for everybody: it gets no answers and no events"
  }),
  scopes: Schema.Array(Scope.Scope).annotations({
    description: "The scopes that the app can use now: granted, still declared, and not lapsed"
  }),
  held_scopes: Schema.Array(Scope.Scope),
  agreed_scopes: Schema.Array(Scope.Scope).annotations({
    description: "The scopes that the user once agreed to, and can take away and give back"
  }),
  pause: Schema.NullOr(PauseBody).annotations({
    description: "The present pause; null: the user has not paused the app"
  }),
  places_version: Schema.Int,
  places: Schema.Array(
    Schema.Struct({
      id: PlaceId,
      label: Schema.String,
      kind: Place.PlaceKind,
      shared_at: At,
      include_earlier_visits: Schema.Boolean,
      archived_at: NullableAt
    })
  ).annotations({ description: "The places that the user shares with the app, archived ones included" }),
  grant_expires_at: NullableAt,
  sensitive_expires_at: NullableAt,
  sensitive_lapsed_at: NullableAt,
  renewal_grace_ends_at: NullableAt,
  connected_at: At,
  last_used_at: NullableAt.annotations({ description: "When the app last got an answer or an event about the user" }),
  ended_at: NullableAt,
  end_reason: Schema.NullOr(Domain.EndReason)
}).annotations({ identifier: "UserConnection" })

/**
 * One connection with its subscriptions. The answer about one connection has the subscriptions; lists of connections
 * leave them out.
 */
export const UserConnectionDetails = Schema.Struct({
  ...UserConnection.fields,
  subscriptions: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      host: Schema.String.annotations({ description: "The host of the address, with its port if it names one" }),
      created_at: At
    })
  ).annotations({
    description:
      "The addresses that the app named for notifications with `POST /v1/subscriptions`, oldest first. The user removes them on the page of the connection"
  })
}).annotations({ identifier: "UserConnectionDetails" })

const MAX_PLACES = 1_000

const SharedPlaces = request({
  places: Schema.propertySignature(
    Schema.Array(
      Schema.Struct({
        id: PlaceId,
        include_earlier_visits: Schema.optionalWith(Schema.Boolean, { default: () => false })
      })
    ).pipe(Schema.maxItems(MAX_PLACES, { message: () => `must be at most ${MAX_PLACES} places` }))
  ).annotations({ description: "Every place that the app has from now on" })
})

const id = HttpApiSchema.param("id", ConnectionIdText)

export const ConnectionsApi = HttpApiGroup.make("connections")
  .add(
    HttpApiEndpoint.get("list", "/v1/user/connections")
      .annotate(OpenApi.Summary, "The user's connections, newest first, ended ones included")
      .setUrlParams(request(paging(100, 500)))
      .addSuccess(
        Schema.Struct({ connections: Schema.Array(UserConnection), nextCursor: Schema.NullOr(Schema.String) })
      )
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/user/connections/${id}`
      .annotate(OpenApi.Summary, "One connection of the user")
      .addSuccess(UserConnectionDetails)
      .addError(Errors.NotFound)
  )
  .add(
    HttpApiEndpoint.get("uses")`/v1/user/connections/${id}/uses`
      .annotate(OpenApi.Summary, "How many answers the app got in the last 90 days, by purpose")
      .addSuccess(Uses)
      .addError(Errors.NotFound)
  )
  .add(
    HttpApiEndpoint.del("disconnect")`/v1/user/connections/${id}`
      .annotate(OpenApi.Summary, "Disconnect the app: its tokens and rules stop working")
      .annotate(OpenApi.Description, "Idempotent: a connection that has ended does not change.")
      .addError(Errors.NotFound)
  )
  .add(
    HttpApiEndpoint.put("share")`/v1/user/connections/${id}/places`
      .annotate(OpenApi.Summary, "Replace the set of places that the app may ask about")
      .annotate(OpenApi.Description, "`places_version` grows only when the set changes.")
      .setPayload(SharedPlaces)
      .addSuccess(UserConnection)
      .addError(Errors.NotFound)
      .addError(Errors.Conflict)
  )
  .middleware(SessionAuth)
  .annotate(OpenApi.Title, "Connected apps")
  .annotate(OpenApi.Description, "The apps that the signed-in user approved")
