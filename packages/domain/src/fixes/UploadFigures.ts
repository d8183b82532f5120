import type { LiveRule } from "../rules/LiveRule.js"
import * as Rule from "../rules/Rule.js"
import * as Telemetry from "../shared/Telemetry.js"
import type { Firing } from "./UploadEvaluation.js"

const fixes = Telemetry.counter("place_access.fixes", {
  description: "Readings that phones sent, by what became of them",
  labels: { outcome: ["accepted", "duplicate", "quarantined"] }
})
const races = Telemetry.counter("place_access.upload.races", {
  description: "Evaluations done again because another upload of the user was faster"
})
const evaluations = Telemetry.counter("place_access.rule.evaluations", {
  description: "Steps of rules: one for each live rule and new reading"
})
const ruleFirings = Telemetry.counter("place_access.rule.firings", {
  description: "Rules that fired",
  labels: { type: Rule.RuleType.literals }
})

export const ingested = (
  upload: { readonly accepted: number; readonly duplicates: number; readonly quarantined: number },
  lostRaces: number
): void => {
  if (upload.accepted > 0) fixes.record(upload.accepted, { outcome: "accepted" })
  if (upload.duplicates > 0) fixes.record(upload.duplicates, { outcome: "duplicate" })
  if (upload.quarantined > 0) fixes.record(upload.quarantined, { outcome: "quarantined" })
  if (lostRaces > 0) races.record(lostRaces, {})
}

export const evaluated = (
  rules: ReadonlyArray<LiveRule>,
  fresh: ReadonlyArray<unknown>,
  firings: ReadonlyArray<Firing>
): void => {
  evaluations.record(rules.length * fresh.length, {})
  fired(firings)
}

/** Counts the firings of an upload, or of `settleDue`, which fires rules by the clock and without an upload. */
export const fired = (firings: ReadonlyArray<Firing>): void => {
  for (const { rule } of firings) ruleFirings.record(1, { type: rule.type })
}
