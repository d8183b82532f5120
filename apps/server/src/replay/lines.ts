import { createHash } from "node:crypto"
import { DateTime } from "effect"
import type { Replayed } from "./replayLog.js"

/** A log's name, and the result of its replay. */
export interface NamedReplay {
  readonly name: string
  readonly readings: number
  readonly places: number
  readonly replayed: Replayed
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

/**
 * The result of a log as JSON lines: a summary, then firings, visits, and the outcomes of each rule. The lines have no
 * coordinates.
 */
export const jsonLines = ({ name, places, readings, replayed }: NamedReplay): ReadonlyArray<string> => {
  const { accepted, firings, outcomes, quarantined, uploads, visits } = replayed
  return [
    { kind: "log", log: name, readings, uploads, accepted, quarantined, places },
    ...firings.map(({ occurredAt, place, storedAt, type }) => ({
      kind: "fired",
      place,
      rule: type,
      occurred_at: iso(occurredAt),
      told_after_s: (storedAt - occurredAt) / 1_000
    })),
    ...visits.map(({ arrival, departure, isUncertain, place }) => ({
      kind: "visit",
      place,
      arrival: iso(arrival),
      departure: departure === null ? null : iso(departure),
      ...(isUncertain ? { uncertain: true } : {})
    })),
    ...outcomes.map(({ count, outcome, place, type }) => ({ kind: "outcome", place, rule: type, outcome, count }))
  ].map((line) => JSON.stringify(line))
}

const counted = (replay: NamedReplay): string =>
  `${replay.readings} readings, ${replay.places} places, ${replay.replayed.firings.length} fired, ` +
  `${replay.replayed.visits.length} visits`

/** A digest of the JSON lines, in one line. The digest changes when anything in the JSON lines changes. */
export const digest = (replay: NamedReplay): string => {
  const hash = createHash("sha256").update(jsonLines(replay).join("\n")).digest("hex")
  return `${replay.name}: ${counted(replay)}, sha256 ${hash}`
}

/** The result of a log, as text for people. */
export const text = (replay: NamedReplay): string => {
  const { firings, outcomes, visits } = replay.replayed
  const reasons = new Map<string, number>()
  for (const { count, outcome } of outcomes) reasons.set(outcome, (reasons.get(outcome) ?? 0) + count)
  return [
    `${replay.name}: ${counted(replay)}`,
    ...firings.map(
      ({ occurredAt, place, storedAt, type }) =>
        `  ${iso(occurredAt)} ${type} place ${place}, told ${((storedAt - occurredAt) / 1_000).toFixed(0)} s later`
    ),
    ...visits.map(
      ({ arrival, departure, place }) =>
        `  ${iso(arrival)} visit place ${place} until ${departure === null ? "the end of the log" : iso(departure)}`
    ),
    `  outcomes: ${[...reasons].map(([outcome, count]) => `${outcome} ${count}`).join(", ")}`
  ].join("\n")
}
