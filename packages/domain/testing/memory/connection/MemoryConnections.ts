import { Option } from "effect"
import type { App } from "../../../src/apps/App.js"
import type { Connection } from "../../../src/connection/Connection.js"
import type { WithApp } from "../../../src/connection/ConnectionStore.js"
import type { ConnectionId, FamilyId } from "../../../src/shared/Ids.js"
import type * as Timestamp from "../../../src/shared/Timestamp.js"
import { type AccessToken, accessIsLive, type RefreshToken } from "../../../src/tokens/TokenFamily.js"
import type { TokenWrite } from "../../../src/tokens/TokenStore.js"
import type { Tables } from "../MemoryDatabase.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"
import * as MemoryRules from "../rules/MemoryRules.js"

/**
 * Functions that several stores use, such as the stores of connections, tokens, consent and tiers. The functions read
 * and change the rows of one connection.
 */

/** The connection together with its app. None when the app was deleted with its holder's account. */
export const withApp = (tables: Tables, connection: Connection): Option.Option<WithApp> =>
  Option.map(Option.fromNullable(tables.apps.get(connection.appId)), ({ app }) => ({
    connection,
    app,
    ...(isSuspended(tables, connection, app) ? { isSuspended: true } : {})
  }))

/**
 * Whether the connection is suspended: the account of the person or of the app's holder is suspended, or a test person
 * is connected with an app in production.
 */
export const isSuspended = ({ accounts }: Tables, { userId }: Connection, app: App): boolean => {
  const person = accounts.get(userId)?.account
  return (
    app.suspendedAt !== null ||
    (person !== undefined && (person.suspendedAt !== null || (person.testOf !== null && app.status === "production")))
  )
}

/** The connection of this user with this app, if that connection has not ended; otherwise undefined. */
export const unended = ({ connections }: Tables, userId: string, appId: string): Connection | undefined =>
  [...connections.values()].find((one) => one.userId === userId && one.appId === appId && one.endedAt === null)

/** Applies the writes in their order. Each write is applied to the rows that the earlier writes changed. */
export const apply = (
  tables: Tables,
  id: ConnectionId,
  writes: ReadonlyArray<TokenWrite>,
  now: Timestamp.Timestamp
): void => {
  const { accessTokens, codes, connections, events, flagged, refreshTokens, tierLooks } = tables
  const set = (change: Partial<Connection>): void => {
    const before = connections.get(id)
    if (before !== undefined) connections.set(id, { ...before, ...change })
  }
  const revoke = (family: FamilyId | "every"): void => {
    const isOf = (row: AccessToken | RefreshToken): boolean =>
      row.connectionId === id && (family === "every" || row.familyId === family)
    for (const [hash, row] of accessTokens)
      if (isOf(row) && accessIsLive(row, now)) accessTokens.set(hash, { ...row, revokedAt: now })
    for (const [hash, row] of refreshTokens)
      if (isOf(row) && row.rotation === null && row.revokedAt === null)
        refreshTokens.set(hash, { ...row, revokedAt: now })
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
      case "LookAt": {
        const before = write.keepsEarlier === true ? (tierLooks.get(id) ?? null) : null
        tierLooks.set(id, before === null || (write.at !== null && write.at < before) ? write.at : before)
        break
      }
      case "SetScopes": {
        const before = connections.get(id)
        const { agreedScopes = before?.agreedScopes ?? [], heldScopes, sensitiveExpiresAt } = write
        MemoryRules.noteScopes(tables, id, before?.heldScopes ?? [], heldScopes, now)
        set({ heldScopes, sensitiveExpiresAt, agreedScopes })
        MemoryRules.followSharing(tables, id, now)
        break
      }
      case "SetEnd":
        set({ standardExpiresAt: write.standardExpiresAt })
        break
      case "SetPause":
        set({ pause: write.pause })
        break
      case "Record":
        tables.consentHistory.set(id, [...(tables.consentHistory.get(id) ?? []), write.entry])
        break
    }
  }
}
