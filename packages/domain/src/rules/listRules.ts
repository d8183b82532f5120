import { Effect, Option } from "effect"
import type { Connection } from "../connection/Connection.js"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import * as Cursor from "../shared/Cursor.js"
import type { ConnectionId, UserId } from "../shared/Ids.js"
import { type Invalid, NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import type { Rule } from "./Rule.js"
import * as RuleLife from "./RuleLife.js"
import { type Kind, RuleStore } from "./RuleStore.js"

/** A rule with where it is in its life at the moment of the answer. */
export type ListedRule = Rule & { readonly state: RuleLife.State }

export interface RulesPage {
  readonly rules: ReadonlyArray<ListedRule>
  /** Null on the last page. Good for the same list only. */
  readonly nextCursor: string | null
}

export interface RulesQuery {
  readonly limit: number
  readonly cursor: string | undefined
}

/** The app's rules of one kind for the connection, oldest first (Spec §4.6); finished ones stay in the list. */
export const listRules = (
  caller: Pick<Connection, "userId" | "id">,
  kind: Kind,
  query: RulesQuery
): Effect.Effect<RulesPage, Invalid | StoreError | VaultError, RuleStore | Vault> =>
  page(caller.userId, caller.id, kind, query).pipe(Effect.withSpan("listRules"))

/** What an app has asked to be told about its user, place and zone rules alike; none once the connection has ended. */
export const listRulesOfUser = (
  userId: UserId,
  connectionId: ConnectionId,
  query: RulesQuery
): Effect.Effect<RulesPage, Invalid | NotFound | StoreError | VaultError, RuleStore | ConnectionStore | Vault> =>
  Effect.gen(function* () {
    const connection = yield* (yield* ConnectionStore).findOfUser(userId, connectionId)
    if (Option.isNone(connection)) return yield* new NotFound({ what: "connection" })
    return yield* page(userId, connectionId, "all", query)
  }).pipe(Effect.withSpan("listRulesOfUser"))

const page = (userId: UserId, connectionId: ConnectionId, kind: Kind, { cursor, limit }: RulesQuery) =>
  Effect.gen(function* () {
    const list = `rules ${connectionId} ${kind}`
    const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, list)
    const { items, next } = yield* (yield* RuleStore).list(userId, connectionId, kind, limit, after)
    const now = yield* Timestamp.now
    return {
      rules: items.map((rule) => ({ ...rule, state: RuleLife.state(rule, now) })),
      nextCursor: next === undefined ? null : yield* Cursor.seal(next, list)
    }
  })
