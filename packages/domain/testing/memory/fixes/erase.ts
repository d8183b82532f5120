import * as Movement from "../../../src/devices/Movement.js"
import type { Quarantined } from "../../../src/fixes/FixStore.js"
import * as VisitReport from "../../../src/fixes/VisitReport.js"
import * as Erasure from "../../../src/retention-choice/Erasure.js"
import * as RuleEvaluation from "../../../src/rules/RuleEvaluation.js"
import type { UserId } from "../../../src/shared/Ids.js"
import type { Tables } from "../MemoryDatabase.js"
import { oweStays } from "../visits/oweStays.js"

/**
 * Implements `HistoryStore.erase`. Returns false, and changes nothing, if the user would then have more than
 * `Erasure.MOST` deleted stretches.
 */
export const erase = (tables: Tables, userId: UserId, erasure: Erasure.Erasure): boolean => {
  const erasures = Erasure.add(tables.erasures.get(userId) ?? [], erasure)
  if (erasures.length > Erasure.MOST) return false
  tables.erasures.set(userId, erasures)
  tables.streamVersions.set(userId, (tables.streamVersions.get(userId) ?? 0) + 1)
  for (const { key, value } of of(tables.fixes, userId)) {
    if (Erasure.covers(erasure, value.capturedAt)) tables.fixes.delete(key)
  }
  const putAside = of(tables.quarantined, userId)
  const gone = putAside.filter(({ value }) => Erasure.mayComeFrom(value, [erasure]))
  for (const { key, value } of putAside) {
    const isEarlier = gone.some(
      ({ value: one }) =>
        isFuture(one) && isFuture(value) && one.deviceId === value.deviceId && one.receivedAt >= value.receivedAt
    )
    if (isEarlier || Erasure.mayComeFrom(value, [erasure])) tables.quarantined.delete(key)
  }
  eraseVisits(tables, userId, erasure)
  eraseFromRules(tables, userId, erasure)
  for (const { key, value } of of(tables.devices, userId)) {
    const { movement } = value
    if (movement !== null) tables.devices.set(key, { ...value, movement: Movement.without(erasure, movement) })
  }
  oweStays(tables, userId, erasure.from)
  return true
}

/** Whether the quarantined entry is a reading that the service may accept later. */
const isFuture = ({ reading, reason }: Quarantined): boolean => reason === "future" && "capturedAt" in reading

/** Copies the user's rows of a table, so that the caller can change the table while it reads the copy. */
const of = <K, V extends { readonly userId: UserId }>(table: Map<K, V>, userId: UserId) =>
  [...table].flatMap(([key, value]) => (value.userId === userId ? [{ key, value }] : []))

const eraseVisits = (tables: Tables, userId: UserId, erasure: Erasure.Erasure): void => {
  const { stays, visitReports } = tables
  for (const { key, value } of of(visitReports, userId)) {
    const kept = Erasure.withoutErased(value, [erasure])
    if (kept === value) continue
    visitReports.delete(key)
    if (kept === undefined) continue
    const renamed = `${userId} ${value.deviceId} ${VisitReport.key(kept)}`
    if (!visitReports.has(renamed)) visitReports.set(renamed, kept)
  }
  for (const { key, value } of of(stays, userId)) {
    if (Erasure.covers(erasure, value.arrival)) {
      stays.delete(key)
      continue
    }
    const end = Erasure.cutOff(value, [erasure])
    if (end === null) continue
    const heardUntil = value.heardUntil !== null && value.heardUntil < end ? value.heardUntil : null
    stays.set(key, { ...value, departure: end, heardUntil })
  }
}

const eraseFromRules = (
  { recentEvaluations, ruleStates, rules }: Tables,
  userId: UserId,
  erasure: Erasure.Erasure
): void => {
  for (const { key } of of(rules, userId)) {
    const state = ruleStates.get(key)
    if (state !== undefined) ruleStates.set(key, RuleEvaluation.without(erasure, state))
    const recent = recentEvaluations.get(key)
    if (recent !== undefined) {
      recentEvaluations.set(
        key,
        recent.filter(({ capturedAt }) => !Erasure.covers(erasure, capturedAt))
      )
    }
  }
}
