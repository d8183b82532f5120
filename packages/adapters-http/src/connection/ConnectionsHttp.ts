import {
  type ConnectionView,
  disconnect,
  getConnection,
  listUses,
  pageConnections,
  sharePlaces
} from "@place-access/domain/connection"
import { listSubscriptions } from "@place-access/domain/legacy"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { encodePause, encodeUses } from "./ConsentsHttp.js"
import type { UserConnection } from "./ConnectionsApi.js"

export const layer = Group.group(Api, "connections", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { connections, nextCursor } = yield* pageConnections((yield* SignedIn).id, { cursor, limit })
        return { connections: connections.map(encode), nextCursor }
      }).pipe(toWire)
    )
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        const userId = (yield* SignedIn).id
        const connection = yield* getConnection(userId, path.id)
        const subscriptions = yield* listSubscriptions(userId, path.id)
        return {
          ...encode(connection),
          subscriptions: subscriptions.map(({ createdAt, id, url }) => ({
            id,
            host: new URL(url).host,
            created_at: createdAt
          }))
        }
      }).pipe(toWire)
    )
    .handle("uses", ({ path }) =>
      Effect.gen(function* () {
        return encodeUses(yield* listUses((yield* SignedIn).id, path.id))
      }).pipe(toWire)
    )
    .handle(
      "disconnect",
      ({ path }) =>
        Effect.gen(function* () {
          yield* disconnect((yield* SignedIn).id, path.id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "share",
      ({ path, payload }) =>
        Effect.gen(function* () {
          const chosen = payload.places.map((place) => ({
            placeId: place.id,
            includeEarlierVisits: place.include_earlier_visits
          }))
          return encode(yield* sharePlaces((yield* SignedIn).id, path.id, chosen, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
)

export const encode = (connection: ConnectionView.UserConnection): typeof UserConnection.Type => ({
  id: connection.id,
  app: {
    id: connection.app.id,
    name: connection.app.name,
    description: connection.app.description,
    homepage_url: connection.app.homepageUrl,
    logo: connection.app.logo,
    status: connection.app.status
  },
  live: connection.live,
  on_hold: connection.onHold,
  scopes: connection.scopes,
  held_scopes: connection.heldScopes,
  agreed_scopes: connection.agreedScopes,
  pause: encodePause(connection.pause),
  places_version: connection.placesVersion,
  places: connection.places.map((place) => ({
    id: place.id,
    label: place.label,
    kind: place.kind,
    shared_at: place.sharedAt,
    include_earlier_visits: place.includeEarlierVisits,
    archived_at: place.archivedAt
  })),
  grant_expires_at: connection.grantExpiresAt,
  sensitive_expires_at: connection.sensitiveExpiresAt,
  sensitive_lapsed_at: connection.sensitiveLapsedAt,
  renewal_grace_ends_at: connection.renewalGraceEndsAt,
  connected_at: connection.connectedAt,
  last_used_at: connection.lastUsedAt,
  ended_at: connection.endedAt,
  end_reason: connection.endReason
})
