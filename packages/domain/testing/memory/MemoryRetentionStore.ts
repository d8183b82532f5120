import { Effect, Layer, Order } from "effect"
import { keptUntil } from "../../src/audit/AuditEvent.js"
import { type AuthorizationCode, LIFETIME } from "../../src/tokens/AuthorizationCode.js"
import type { RetentionKind } from "../../src/sweeps/Retention.js"
import { type EventPlace, RetentionStore } from "../../src/sweeps/RetentionStore.js"
import type { DeliveryState } from "../../src/deliveries/Delivery.js"
import * as ZoneQuestions from "../../src/limits/ZoneQuestions.js"
import * as NamedMail from "../../src/mail/NamedMail.js"
import type { OutboxEvent } from "../../src/events/Event.js"
import type { DeliveryId } from "../../src/shared/Ids.js"
import { MemoryDatabase, type Tables } from "./MemoryDatabase.js"

export const layer: Layer.Layer<RetentionStore, never, MemoryDatabase> = Layer.effect(
  RetentionStore,
  Effect.map(MemoryDatabase, (tables) =>
    RetentionStore.of({
      remove: (kind, until, limit) =>
        Effect.sync(() => {
          const rows = moments(tables, kind).filter(({ at }) => at !== null && at <= until)
          const dead = rows.sort((a, b) => Number(a.at) - Number(b.at)).slice(0, limit)
          for (const { remove } of dead) remove()
          return dead.length
        }),

      removeEvents: (until, limit, after) =>
        Effect.sync(() => {
          const due = [...tables.events.values()].flatMap(({ fannedOutAt, id, userId }): ReadonlyArray<EventPlace> =>
            fannedOutAt === null || fannedOutAt > until ? [] : [{ fannedOutAt, userId, id }]
          )
          const later = due.filter((place) => after === undefined || inOrder(after, place) < 0)
          const page = later.sort(inOrder).slice(0, limit)
          const dead = page.filter((place) => !hasDelivery(tables, place))
          for (const { id } of dead) tables.events.delete(id)
          return { removed: dead.length, next: page.length < limit ? undefined : page.at(-1) }
        })
    })
  )
)

const inOrder: Order.Order<EventPlace> = Order.combineAll([
  Order.mapInput(Order.number, (place) => place.fannedOutAt),
  Order.mapInput(Order.string, (place) => place.userId),
  Order.mapInput(Order.string, (place) => place.id)
])

interface Row {
  /**
   * The time at which the retention period of the row begins (`RetentionKind`), in milliseconds since 1970. Null: the
   * row may still be needed, so no sweep deletes it.
   */
  readonly at: number | null
  readonly remove: () => void
}

const moments = (tables: Tables, kind: RetentionKind): Array<Row> => {
  const rows = <K, V>(table: Map<K, V>, at: (value: V) => number | null): Array<Row> =>
    [...table].map(([key, value]) => ({ at: at(value), remove: () => void table.delete(key) }))
  switch (kind) {
    case "access_tokens":
      return rows(tables.accessTokens, ({ issuedAt }) => issuedAt)
    case "refresh_tokens":
      return refreshTokens(tables)
    case "authorization_codes":
      return rows(tables.codes, (code) => deadAt(tables, code))
    case "consent_requests":
      return rows(tables.consentRequests, ({ createdAt }) => createdAt)
    case "account_links":
      return rows(tables.accountLinks, ({ expiresAt }) => expiresAt)
    case "pending_accounts":
      return rows(tables.pendingAccounts, ({ expiresAt }) => expiresAt)
    case "sessions":
      return rows(tables.sessions, ({ expiresAt }) => expiresAt)
    case "sign_in_tries":
      return rows(tables.signInTries, ({ at }) => at)
    case "rate_windows":
      return rows(tables.rateWindows, ({ endsAt }) => endsAt)
    case "budgets":
      return rows(tables.zoneQuestions, ZoneQuestions.lastAt)
    case "idempotent_answers":
      return rows(tables.idempotentAnswers, ({ createdAt }) => createdAt)
    case "delivered_deliveries":
      return endedDeliveries(tables, ["delivered"])
    case "failed_deliveries":
      return endedDeliveries(tables, ["failed", "too_old"])
    case "audit_events":
      return rows(tables.auditEvents, keptUntil)
    case "app_calls":
      return rows(tables.appCalls, ({ at }) => at)
    case "app_hours":
      return rows(tables.appHours, ({ hour }) => hour)
    case "endpoint_hours":
      return rows(tables.endpointHours, ({ hour }) => hour)
    case "app_invitations":
      return rows(tables.appInvitations, ({ createdAt }) => createdAt)
    case "volume_flags":
      return tables.volumeFlags.map((flag) => ({
        at: flag.to,
        remove: () => void tables.volumeFlags.splice(tables.volumeFlags.indexOf(flag), 1)
      }))
    case "named_mail":
      return rows(tables.namedMail, NamedMail.lastAt)
    case "mail":
      return [...tables.mailStates].map(([key, { createdAt }]) => ({
        at: createdAt,
        remove: () => {
          tables.mail.delete(key)
          tables.mailStates.delete(key)
        }
      }))
  }
}

const endedDeliveries = (tables: Tables, states: ReadonlyArray<DeliveryState>): Array<Row> =>
  [...tables.deliveries.values()]
    .filter(({ delivery }) => states.includes(delivery.state))
    .map(({ delivery: { endedAt, id } }) => ({ at: endedAt, remove: () => removeDelivery(tables, id) }))

/** Removes a delivery with its attempts. */
export const removeDelivery = ({ attempts, deliveries }: Tables, id: DeliveryId): void => {
  deliveries.delete(id)
  for (let index = attempts.length - 1; index >= 0; index--) {
    if (attempts[index]?.deliveryId === id) attempts.splice(index, 1)
  }
}

const hasDelivery = ({ deliveries }: Tables, { id }: Pick<OutboxEvent, "id">): boolean =>
  [...deliveries.values()].some(({ delivery }) => delivery.envelope.eventId === id)

/**
 * Refresh tokens, with the time at which their family was revoked. Only the head of a family, its unspent token, stores
 * this time. Tokens are deleted in the order of this list, and the heads are last: without its head, a spent token has
 * no time and would never be deleted.
 */
const refreshTokens = ({ refreshTokens }: Tables): Array<Row> => {
  const tokens = [...refreshTokens.values()]
  const heads = tokens.filter(({ rotation }) => rotation === null)
  const spent = tokens.filter(({ rotation }) => rotation !== null)
  const endedAt = new Map(heads.map(({ familyId, revokedAt }) => [familyId, revokedAt]))
  return [...spent, ...heads].map(({ familyId, hash }) => ({
    at: endedAt.get(familyId) ?? null,
    remove: () => void refreshTokens.delete(hash)
  }))
}

/**
 * The time from which a code and its tokens are invalid. A code that was not exchanged is invalid from the end of its
 * lifetime. An exchanged code has a family of refresh tokens, whose unspent token stores the time. The result is null
 * while a token of the family may be valid. If the unspent token is already deleted, the code is old enough to be
 * deleted, so the result is 0.
 */
const deadAt = ({ connections, refreshTokens }: Tables, code: AuthorizationCode): number | null => {
  const { connectionId, createdAt, familyId } = code
  if (familyId === null) return createdAt + LIFETIME
  const connection = connections.get(connectionId)
  if (connection?.familyId === familyId && connection.endedAt === null) return null
  return (
    [...refreshTokens.values()].find((token) => token.familyId === familyId && token.rotation === null)?.revokedAt ?? 0
  )
}
