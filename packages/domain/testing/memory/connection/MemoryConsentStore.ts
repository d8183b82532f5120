import { Effect, Layer, Option } from "effect"
import * as Ending from "../../../src/connection/Ending.js"
import { ConsentStore } from "../../../src/consent/ConsentStore.js"
import type { App } from "../../../src/apps/App.js"
import type { AppId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as AuthorizationCode from "../../../src/tokens/AuthorizationCode.js"
import { apply, unended } from "./MemoryConnections.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import * as MemoryPlaces from "../rules/MemoryPlaceStore.js"
import * as MemoryRules from "../rules/MemoryRules.js"

export const layer: Layer.Layer<ConsentStore, never, MemoryDatabase> = Layer.effect(
  ConsentStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { codes, connections, consentRequests, subs } = tables
    return ConsentStore.of({
      createRequest: (request) => Effect.sync(() => void consentRequests.set(request.id, request)),
      findRequest: (id) => Effect.sync(() => Option.fromNullable(consentRequests.get(id))),

      decideRequest: (id, userId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const request = consentRequests.get(id)
          if (request === undefined || !tables.accounts.has(userId)) return Option.none()
          const pair = `${userId} ${request.appId}`
          const existing = unended(tables, userId, request.appId)
          const { approval, decided, outcome, writes } = decide(
            {
              request,
              app: appOf(tables, request.appId),
              existing: Option.fromNullable(existing),
              sub: Option.fromNullable(subs.get(pair)),
              ownPlaces: MemoryPlaces.ofUser(tables, userId),
              placesVersion: Math.max(
                0,
                ...[...connections.values()]
                  .filter((one) => one.userId === userId && one.appId === request.appId)
                  .map((one) => one.placesVersion)
              ),
              usableCodes: [...codes.values()]
                .filter((one) => one.userId === userId && one.appId === request.appId)
                .filter((one) => one.familyId === null && AuthorizationCode.isLive(one, now))
                .map(({ hash }) => hash)
            },
            now
          )
          if (decided !== null) consentRequests.set(id, { ...request, decided })
          if (approval !== null) {
            const expired = approval.expired === null ? undefined : connections.get(approval.expired)
            if (expired !== undefined) apply(tables, expired.id, Ending.ifExpired(expired, now), now)
            subs.set(pair, approval.connection.sub)
            const { heldScopes, id } = approval.connection
            const heldBefore = connections.get(id)?.heldScopes ?? heldScopes
            MemoryRules.noteScopes(tables, id, heldBefore, heldScopes, now)
            connections.set(id, approval.connection)
            codes.set(approval.code.hash, approval.code)
            MemoryRules.followSharing(tables, approval.connection.id, now)
          }
          const about = approval?.connection ?? existing
          if (about !== undefined) apply(tables, about.id, writes ?? [], now)
          return Option.some(outcome)
        })
    })
  })
)

const appOf = ({ apps }: Tables, id: AppId): App => {
  const registered = apps.get(id)
  if (registered === undefined) throw new Error("a consent request names an app that does not exist")
  return registered.app
}
