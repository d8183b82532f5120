import { Effect, Layer, Option } from "effect"
import type { AuthorizationCode } from "../../connection/AuthorizationCode.js"
import type { Connection } from "../../connection/Connection.js"
import { ConnectionStore, type Write } from "../../connection/ConnectionStore.js"
import * as Ending from "../../connection/Ending.js"
import type { AccessToken, RefreshToken } from "../../connection/TokenFamily.js"
import type { ConnectionId, FamilyId } from "../../shared/Ids.js"
import * as Page from "../../shared/Page.js"
import * as Timestamp from "../../shared/Timestamp.js"
import type { Hash } from "../../shared/Vault.js"
import { MemoryDatabase, type Tables } from "./MemoryDatabase.js"
import * as MemoryMailOutbox from "./MemoryMailOutbox.js"
import * as MemoryPlaces from "./MemoryPlaceStore.js"
import * as MemoryRules from "./MemoryRules.js"

export const layer: Layer.Layer<ConnectionStore, never, MemoryDatabase> = Layer.effect(
  ConnectionStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accessTokens, apps, codes, connections, consentRequests, refreshTokens, subs } = tables

    const appOf = ({ appId }: Pick<Connection, "appId">) => {
      const registered = apps.get(appId)
      if (registered === undefined) throw new Error("a connection or consent request names an app that does not exist")
      return registered.app
    }
    const withApp = (connection: Connection) => ({ connection, app: appOf(connection) })
    const unended = (userId: string, appId: string) =>
      [...connections.values()].find((one) => one.userId === userId && one.appId === appId && one.endedAt === null)

    return ConnectionStore.of({
      createRequest: (request) => Effect.sync(() => void consentRequests.set(request.id, request)),
      findRequest: (id) => Effect.sync(() => Option.fromNullable(consentRequests.get(id))),

      decideRequest: (id, userId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const request = consentRequests.get(id)
          if (request === undefined) return Option.none()
          const pair = `${userId} ${request.appId}`
          const existing = unended(userId, request.appId)
          const { approval, decided, outcome, writes } = decide(
            {
              request,
              app: appOf(request),
              existing: Option.fromNullable(existing),
              sub: Option.fromNullable(subs.get(pair)),
              placesVersion: Math.max(
                0,
                ...[...connections.values()]
                  .filter((one) => one.userId === userId && one.appId === request.appId)
                  .map((one) => one.placesVersion)
              )
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
        }),

      findByAccessToken: (id, hash) =>
        Effect.sync(() => {
          const connection = connections.get(id)
          const token = accessTokens.get(hash)
          return connection === undefined || token?.connectionId !== id
            ? Option.none()
            : Option.some({ ...withApp(connection), token })
        }),

      change: (id, asked, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(id)
          if (connection === undefined) return Option.none()
          const { outcome, writes } = decide(
            {
              ...withApp(connection),
              code: ofConnection(codes, asked.code, id),
              isCodeSpent: isSpent(tables, Option.getOrUndefined(ofConnection(codes, asked.code, id))),
              access: ofConnection(accessTokens, asked.access, id),
              chain: chain(refreshTokens, asked.refresh, id)
            },
            now
          )
          apply(tables, id, writes, now)
          return Option.some(outcome)
        }),

      archivePlace: (userId, placeId, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const place = tables.places.get(placeId)
          if (place?.userId !== userId) return Option.none()
          const sharedWith = [...connections.values()]
            .filter((one) => one.endedAt === null && one.places.some((shared) => shared.placeId === placeId))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .map(withApp)
          const { archivedAt, outcome, writes } = decide({ place, sharedWith }, now)
          if (archivedAt !== null) MemoryPlaces.store(tables, place, { ...place, archivedAt }, now)
          for (const one of writes) apply(tables, one.id, one.writes, now)
          return Option.some(outcome)
        }),

      findOfUser: (userId, id) =>
        Effect.sync(() => {
          const connection = connections.get(id)
          return connection?.userId === userId ? Option.some(withApp(connection)) : Option.none()
        }),
      findOfApp: (appId, id) =>
        Effect.sync(() => {
          const connection = connections.get(id)
          return connection?.appId === appId ? Option.some(connection) : Option.none()
        }),
      findLive: (userId, appId) => Effect.sync(() => Option.fromNullable(unended(userId, appId))),
      listOfUser: (userId) =>
        Effect.sync(() =>
          [...connections.values()]
            .filter((one) => one.userId === userId)
            .sort(newestFirst)
            .map(withApp)
        ),
      listOfApp: (appId, limit, after) =>
        Effect.sync(() => {
          const rows = [...connections.values()]
            .filter((one) => one.appId === appId)
            .sort(newestFirst)
            .filter((one) => after === undefined || isBefore(one, after))
          return Page.of(rows, limit, (last) => [last.connectedAt, last.id])
        }),
      listRevoked: ({ after, appId, limit }) =>
        Effect.sync(() =>
          [...connections.values()]
            .filter((one) => one.endedAt === null && appOf(one).revokedAt !== null)
            .filter((one) => (appId === undefined || one.appId === appId) && (after === undefined || one.id > after))
            .map(({ id }) => id)
            .sort()
            .slice(0, limit)
        )
    })
  })
)

const newestFirst = (a: Connection, b: Connection): number => b.connectedAt - a.connectedAt || (a.id < b.id ? 1 : -1)

const isBefore = (one: Connection, [time, id]: ReadonlyArray<string | number>): boolean =>
  one.connectedAt < Number(time) || (one.connectedAt === time && one.id < String(id))

const ofConnection = <A extends { readonly connectionId: ConnectionId }>(
  rows: ReadonlyMap<Hash, A>,
  hash: Hash | undefined,
  id: ConnectionId
): Option.Option<A> =>
  Option.filter(Option.fromNullable(hash === undefined ? undefined : rows.get(hash)), (row) => row.connectionId === id)

const isSpent = ({ accessLog, refreshTokens }: Tables, code: AuthorizationCode | undefined): boolean => {
  const at = code?.exchange?.at
  if (code === undefined || at === undefined) return false
  return (
    [...refreshTokens.values()].some((token) => token.familyId === code.familyId && token.rotation !== null) ||
    accessLog.some(
      (entry) =>
        entry.connectionId === code.connectionId &&
        entry.at >= at &&
        entry.status !== 401 &&
        !entry.endpoint.startsWith("webhook ")
    )
  )
}

const chain = (
  rows: ReadonlyMap<Hash, RefreshToken>,
  hash: Hash | undefined,
  id: ConnectionId
): ReadonlyArray<RefreshToken> => {
  const presented = Option.getOrUndefined(ofConnection(rows, hash, id))
  if (presented === undefined) return []
  const family = [...rows.values()].filter((row) => row.familyId === presented.familyId)
  return family.slice(family.indexOf(presented))
}

/** In order; each write sees what the ones before it did. */
export const apply = (
  tables: Tables,
  id: ConnectionId,
  writes: ReadonlyArray<Write>,
  now: Timestamp.Timestamp
): void => {
  const { accessTokens, codes, connections, events, flagged, refreshTokens, tierLooks } = tables
  const set = (change: Partial<Connection>): void => {
    const before = connections.get(id)
    if (before !== undefined) connections.set(id, { ...before, ...change })
  }
  const revoke = (family: FamilyId | "every"): void => {
    const dies = (row: AccessToken | RefreshToken): boolean =>
      row.connectionId === id && row.revokedAt === null && (family === "every" || row.familyId === family)
    for (const [hash, row] of accessTokens) if (dies(row)) accessTokens.set(hash, { ...row, revokedAt: now })
    for (const [hash, row] of refreshTokens) if (dies(row)) refreshTokens.set(hash, { ...row, revokedAt: now })
  }
  for (const write of writes) {
    switch (write._tag) {
      case "UseCode": {
        const code = codes.get(write.hash)
        if (code !== undefined) codes.set(write.hash, { ...code, familyId: write.familyId, exchange: write.exchange })
        break
      }
      case "RevokeTokens":
        revoke("every")
        break
      case "RevokeFamily":
        revoke(write.familyId)
        break
      case "StartFamily":
        set({ familyId: write.familyId })
        break
      case "IssueAccess":
        accessTokens.set(write.token.hash, write.token)
        break
      case "IssueRefresh":
        refreshTokens.set(write.token.hash, write.token)
        break
      case "Rotate": {
        const token = refreshTokens.get(write.hash)
        if (token !== undefined) refreshTokens.set(write.hash, { ...token, rotation: write.rotation })
        break
      }
      case "End":
        if (connections.get(id)?.endedAt === null) set({ endedAt: write.at, endReason: write.reason })
        for (const one of tables.subscriptions.values())
          if (one.connectionId === id) tables.subscriptions.delete(one.id)
        revoke("every")
        break
      case "Flag":
        flagged.set(id, write.at)
        break
      case "Mail":
        MemoryMailOutbox.queue(tables, write.message, now)
        break
      case "SetPlaces":
        set({ places: write.places, placesVersion: write.placesVersion })
        MemoryRules.followSharing(tables, id, now)
        break
      case "Emit":
        events.set(write.event.id, { ...write.event, fanOutDueAt: now, fannedOutAt: null })
        break
      case "LookAt":
        tierLooks.set(id, { at: write.at, leasedUntil: null })
        break
      case "SetScopes":
        set({ heldScopes: write.heldScopes, sensitiveExpiresAt: write.sensitiveExpiresAt })
        MemoryRules.followSharing(tables, id, now)
        break
    }
  }
}
