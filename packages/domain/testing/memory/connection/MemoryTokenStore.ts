import { Effect, Layer, Option } from "effect"
import type { ConnectionId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Hash } from "../../../src/shared/Vault.js"
import { CLOCK_SKEW, isRace, type RefreshToken } from "../../../src/tokens/TokenFamily.js"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import { apply, withApp } from "./MemoryConnections.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<TokenStore, never, MemoryDatabase> = Layer.effect(
  TokenStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accessTokens, codes, connections, refreshTokens } = tables
    return TokenStore.of({
      findByAccessToken: (id, hash) =>
        Effect.sync(() => {
          const connection = connections.get(id)
          const token = accessTokens.get(hash)
          return connection === undefined || token?.connectionId !== id
            ? Option.none()
            : Option.map(withApp(tables, connection), (state) => ({ ...state, token }))
        }),

      change: (id, presented, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const connection = connections.get(id)
          const state = connection === undefined ? Option.none() : withApp(tables, connection)
          return Option.map(state, (withApp) => {
            const { outcome, writes } = decide(
              {
                ...withApp,
                code: ofConnection(codes, presented.code, id),
                access: ofConnection(accessTokens, presented.access, id),
                chain: chain(refreshTokens, presented.refresh, id, now, presented.code === undefined ? 0 : CLOCK_SKEW)
              },
              now
            )
            apply(tables, id, writes, now)
            return outcome
          })
        })
    })
  })
)

const ofConnection = <A extends { readonly connectionId: ConnectionId }>(
  rows: ReadonlyMap<Hash, A>,
  hash: Hash | undefined,
  id: ConnectionId
): Option.Option<A> =>
  Option.filter(Option.fromNullable(hash === undefined ? undefined : rows.get(hash)), (row) => row.connectionId === id)

const chain = (
  rows: ReadonlyMap<Hash, RefreshToken>,
  hash: Hash | undefined,
  id: ConnectionId,
  now: Timestamp.Timestamp,
  skew: number
): ReadonlyArray<RefreshToken> => {
  const presented = Option.getOrUndefined(ofConnection(rows, hash, id))
  if (presented === undefined) return []
  if (presented.rotation === null || !isRace(Timestamp.make(presented.rotation.at + skew), now)) return [presented]
  const family = [...rows.values()].filter((row) => row.familyId === presented.familyId)
  return family.slice(family.indexOf(presented))
}
