import { NOBODY } from "../../../src/deletions/AccountDeletion.js"
import type { UserId } from "../../../src/shared/Ids.js"
import { MINUTE, type Timestamp } from "../../../src/shared/Timestamp.js"
import { apply } from "../connection/MemoryConnections.js"
import type { Tables } from "../MemoryDatabase.js"
import { removeDelivery } from "../MemoryRetentionStore.js"

/** Implements `AccountDeletionStore.removeSome`: removes rows of the person, and returns the number of removed rows. */
export const remove = (tables: Tables, userId: UserId, now: Timestamp, limit: number): number => {
  let removed = 0
  // True when a table may have more rows of the person than `limit`. The rows of connections, rules, places and devices
  // must then stay, because later calls need the ids of these rows to find the person's rows in other tables.
  let isFull = false
  const some = <K, V>(table: Map<K, V>, isTheirs: (value: V, key: K) => boolean): void => {
    const theirs = [...table].filter(([key, value]) => isTheirs(value, key)).slice(0, limit)
    for (const [key] of theirs) table.delete(key)
    removed += theirs.length
    isFull ||= theirs.length === limit
  }
  const someOf = <A>(rows: Array<A>, isTheirs: (row: A) => boolean): void => {
    const theirs = rows.filter(isTheirs).slice(0, limit)
    for (const row of theirs) rows.splice(rows.indexOf(row), 1)
    removed += theirs.length
  }
  const isTheirs = (row: { readonly userId: UserId }): boolean => row.userId === userId
  const isTheirKey = (_: unknown, key: string): boolean => key.startsWith(`${userId} `)
  const idsOf = <K>(table: Map<K, { readonly userId: UserId }>): ReadonlySet<K> =>
    new Set([...table].flatMap(([key, row]) => (isTheirs(row) ? [key] : [])))

  // These ids are read before rows are removed. The rows of some tables, such as `consentHistory`, name only a
  // connection, a rule, a place or a device, and not the person.
  const [connections, rules, places, devices] = [
    idsOf(tables.connections),
    idsOf(tables.rules),
    idsOf(tables.places),
    idsOf(tables.devices)
  ]
  some(tables.consentHistory, (_, id) => connections.has(id))
  some(tables.flagged, (_, id) => connections.has(id))
  some(tables.tierLooks, (_, id) => connections.has(id))
  some(tables.tierNotices, (_, id) => connections.has(id))
  some(tables.accessTokens, ({ connectionId }) => connections.has(connectionId))
  some(tables.refreshTokens, ({ connectionId }) => connections.has(connectionId))
  some(tables.codes, isTheirs)
  some(tables.ownSecrets, (_, id) => rules.has(id))
  some(tables.subscriptions, isTheirs)
  some(tables.ruleStates, (_, id) => rules.has(id))
  some(tables.recentEvaluations, (_, id) => rules.has(id))
  some(tables.placeShapes, (_, id) => places.has(id))
  some(tables.staysDueFrom, (_, id) => devices.has(id))
  for (const id of devices) {
    tables.importDevices.delete(id)
    tables.importParts.delete(id)
  }
  // The exports of the account were removed when the account was deleted. A request of the person that was in progress
  // at that time may have stored another export afterwards.
  for (const [id, { export: one }] of tables.exports) {
    if (one.userId === userId) some(tables.exportPieces, (_, key) => key.startsWith(`${id} `))
  }
  if (!isFull) some(tables.exports, ({ export: one }) => one.userId === userId)
  for (const [id, { import: one }] of tables.imports) {
    if (one.userId === userId) some(tables.importPieces, (_, key) => key.startsWith(`${id} `))
  }
  if (!isFull) some(tables.imports, ({ import: one }) => one.userId === userId)
  for (const table of [tables.fixes, tables.quarantined, tables.visitReports, tables.stays, tables.stayBackfills]) {
    some<string, { readonly userId: UserId }>(table, isTheirs)
  }
  some(tables.visitTellers, (owner) => owner === userId)
  some(tables.streamVersions, (_, id) => id === userId)
  some(tables.historyChoices, (_, id) => id === userId)
  some(tables.erasures, (_, id) => id === userId)
  some(tables.noticeChoices, (_, id) => id === userId)
  some(tables.namedMail, (_, id) => id === userId)
  for (const table of [tables.subs, tables.mail, tables.mailStates, tables.zoneQuestions, tables.idempotentAnswers]) {
    some<string, unknown>(table, isTheirKey)
  }
  someOf(tables.accessLog, isTheirs)
  some<string, { readonly userId: UserId | null }>(tables.auditEvents, (event) => event.userId === userId)
  someOf(tables.volumeFlags, isTheirs)
  for (const { delivery } of tables.deliveries.values()) {
    if (delivery.userId !== userId) continue
    removeDelivery(tables, delivery.id)
    removed++
  }
  some(tables.listenerEvents, isTheirs)
  some(tables.events, (event) => isTheirs(event) && (event.fannedOutAt ?? now) <= now - MINUTE)
  if (isFull) return removed
  some(tables.rules, isTheirs)
  some(tables.places, isTheirs)
  some(tables.devices, isTheirs)
  some(tables.consentRequests, ({ decided }) => decided?.by === userId)
  some(tables.connections, isTheirs)
  for (const [index, decision] of tables.reviewDecisions.entries()) {
    if (decision.by === userId) tables.reviewDecisions[index] = { ...decision, by: NOBODY.id }
  }
  for (const [id, event] of tables.auditEvents) {
    const { actor } = event
    if (!("id" in actor) || actor.id !== userId) continue
    tables.auditEvents.set(id, { ...event, actor: { ...actor, id: NOBODY.id } })
  }
  return removed > 0 ? removed : removeApps(tables, userId, now)
}

const removeApps = (tables: Tables, userId: UserId, now: Timestamp): number => {
  const ids = new Set(tables.accountDeletions.get(userId)?.appIds ?? [])
  const keep = <A extends { readonly appId: string }>(rows: Array<A>): void =>
    void rows.splice(0, rows.length, ...rows.filter(({ appId }) => !new Set<string>(ids).has(appId)))
  for (const { delivery } of tables.deliveries.values()) {
    if (ids.has(delivery.appId)) removeDelivery(tables, delivery.id)
  }
  for (const { appId, endedAt, id } of tables.connections.values()) {
    if (ids.has(appId) && endedAt === null) apply(tables, id, [{ _tag: "End", reason: "admin_revoked", at: now }], now)
  }
  for (const key of tables.appLogos.keys()) {
    if ([...ids].some((id) => key.startsWith(`${id} `))) tables.appLogos.delete(key)
  }
  for (const [key, request] of tables.consentRequests) if (ids.has(request.appId)) tables.consentRequests.delete(key)
  keep(tables.purposes)
  keep(tables.reviewDecisions)
  for (const table of [tables.appCalls, tables.appHours, tables.endpointHours]) {
    for (const [key, { appId }] of table) if (ids.has(appId)) table.delete(key)
  }
  return [...ids].filter((id) => tables.apps.delete(id)).length
}
