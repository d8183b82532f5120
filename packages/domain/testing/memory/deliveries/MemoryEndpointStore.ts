import { Effect, Layer, Option } from "effect"
import type { AdmitsChange } from "../../../src/apps/AppStore.js"
import { NOBODY } from "../../../src/deletions/AccountDeletion.js"
import * as Delivery from "../../../src/deliveries/Delivery.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import type { StrikeWarning } from "../../../src/endpoints/StrikeWarning.js"
import * as WebhookEndpoint from "../../../src/endpoints/WebhookEndpoint.js"
import type { AppId, EndpointId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import { activeMembersOf } from "../apps/MemoryTeamStore.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"

/**
 * Ends the deliveries to the endpoint `id` that wait for an attempt. A delivery in flight is not changed: when its
 * attempt is over, `DeliveryStore.finish` decides whether the delivery ends.
 */
export const failWaiting = (
  tables: Tables,
  id: EndpointId,
  reason: Delivery.FailReason,
  now: Timestamp.Timestamp
): void => {
  for (const [key, row] of tables.deliveries) {
    const { delivery } = row
    const waits = Delivery.mayTake("Failed", delivery.state) && (row.leasedUntil === null || row.leasedUntil <= now)
    if (delivery.endpointId !== id || !waits) continue
    tables.deliveries.set(key, {
      ...row,
      delivery: Delivery.move(delivery, { _tag: "Failed", at: now, reason }),
      lease: null,
      leasedUntil: null
    })
  }
}

/** The endpoints of an app, oldest first. */
export const listOf = (tables: Tables, appId: AppId): ReadonlyArray<WebhookEndpoint.WebhookEndpoint> =>
  [...tables.endpoints.values()]
    .filter((endpoint) => endpoint.appId === appId)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

const keyOf = ({ appId, deliveryId }: StrikeWarning): string => `${appId} ${deliveryId}`
const inOrder = (a: StrikeWarning, b: StrikeWarning): number =>
  keyOf(a) === keyOf(b) ? 0 : keyOf(a) < keyOf(b) ? -1 : 1

export const layer: Layer.Layer<EndpointStore, never, MemoryDatabase> = Layer.effect(
  EndpointStore,
  Effect.gen(function* () {
    const tables = yield* MemoryDatabase
    const find = (appId: AppId, id: EndpointId) =>
      Option.filter(Option.fromNullable(tables.endpoints.get(id)), (endpoint) => endpoint.appId === appId)
    const isAdmitted = (appId: AppId, admits: AdmitsChange | undefined) => {
      if (admits === undefined) return true
      const app = tables.apps.get(appId)?.app
      return app !== undefined && admits(app, activeMembersOf(tables, appId))
    }

    return EndpointStore.of({
      create: (endpoint, audit, admits) =>
        Effect.sync(() => {
          const app = tables.apps.get(endpoint.appId)?.app
          if (app === undefined || app.ownerId === NOBODY.id) return "app_gone"
          if (!isAdmitted(endpoint.appId, admits)) return "refused"
          if (listOf(tables, endpoint.appId).length >= WebhookEndpoint.MAX_PER_APP) return "full"
          tables.endpoints.set(endpoint.id, endpoint)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit)
          return "created"
        }),
      find: (appId, id) => Effect.sync(() => find(appId, id)),
      list: (appId) => Effect.sync(() => listOf(tables, appId)),
      update: (appId, id, change, audit, admits) =>
        Effect.map(Timestamp.now, (now) =>
          Option.map(isAdmitted(appId, admits) ? find(appId, id) : Option.none(), (before) => {
            const after = { ...change(before, now), appId, id, createdAt: before.createdAt }
            tables.endpoints.set(id, after)
            const event = audit?.(now)
            if (event !== undefined) MemoryAuditLog.append(tables, event)
            return after
          })
        ),
      remove: (appId, id) =>
        Effect.map(Timestamp.now, (now) => {
          if (Option.isNone(find(appId, id))) return false
          tables.endpoints.delete(id)
          failWaiting(tables, id, "endpoint_removed", now)
          return true
        }),
      listWarnings: (limit, after) =>
        Effect.sync(() =>
          [...tables.strikeWarnings.values()]
            .sort(inOrder)
            .filter((warning) => after === undefined || inOrder(warning, after) > 0)
            .slice(0, limit)
        ),
      forgetWarning: ({ deliveryId }) => Effect.sync(() => void tables.strikeWarnings.delete(deliveryId))
    })
  })
)
