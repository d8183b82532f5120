import { RecentEvaluations, type RuleEvaluation } from "@place-access/domain/rules"
import { EventId, Timestamp } from "@place-access/domain/shared"
import { Schema } from "effect"

/**
 * The last evaluations of a rule as one text, the oldest first. The column is a text because every upload appends to it
 * for every rule of the user. An entry is the letter of its outcome, the capture time, a comma, and the delay until the
 * receipt, then a comma and the event's id if the fix fired. Times and delays are milliseconds in base 36. For example,
 * `nmkk0fk00,5k fmkk0g800,0,evt_1` is a fix that changed nothing and a fix that fired. The letter is a capital when the
 * fix is too inaccurate to answer a question about a zone.
 */

const LETTERS: Readonly<Record<RuleEvaluation.RuleOutcome, string>> = {
  seeded: "s",
  boundary: "b",
  no_change: "n",
  crossed: "c",
  stale: "t",
  cooling_down: "d",
  settling: "u",
  contradicted: "r",
  outside_window: "w",
  late: "l",
  out_of_order: "o",
  fired: "f"
}

const OUTCOMES = new Map(
  (Object.keys(LETTERS) as Array<RuleEvaluation.RuleOutcome>).map((outcome) => [LETTERS[outcome], outcome] as const)
)

export const encode = (recent: RecentEvaluations.RecentEvaluations): string =>
  recent
    .map(({ capturedAt, eventId, isTooCoarse, outcome, receivedAt }) => {
      const letter = isTooCoarse === true ? LETTERS[outcome].toUpperCase() : LETTERS[outcome]
      const times = `${letter}${capturedAt.toString(36)},${(receivedAt - capturedAt).toString(36)}`
      return eventId === null ? times : `${times},${eventId}`
    })
    .join(" ")

/**
 * An SQL expression that appends the entries `next` to the entries `recent`, as `RecentEvaluations.append` does in
 * memory. So an upload need not read the stored text. A regular expression takes the last entries, because Citus allows
 * only immutable functions in the SET list, and `array_to_string` is not immutable.
 */
export const appended = (recent: string, next: string): string =>
  `CASE WHEN ${next} = '' THEN ${recent} WHEN ${recent} = '' THEN ${next}
          ELSE substring(${recent} || ' ' || ${next} from '(?:[^ ]+ ){0,${RecentEvaluations.KEPT - 1}}[^ ]+$') END`

/**
 * Skips entries that only a later version of the program can read. Otherwise such an entry would make uploads fail
 * while both versions run.
 */
const decode = (text: string): RecentEvaluations.RecentEvaluations => {
  if (text === "") return RecentEvaluations.none
  const recent: Array<RecentEvaluations.Evaluation> = []
  for (const entry of text.split(" ")) {
    const letter = entry.charAt(0)
    const outcome = OUTCOMES.get(letter.toLowerCase())
    const [capture = "", delay = "", event] = entry.slice(1).split(",")
    const capturedAt = Number.parseInt(capture, 36)
    const receivedAt = capturedAt + Number.parseInt(delay, 36)
    if (outcome === undefined || Number.isNaN(receivedAt)) continue
    recent.push({
      capturedAt: Timestamp.make(capturedAt),
      receivedAt: Timestamp.make(receivedAt),
      outcome,
      eventId: event === undefined ? null : EventId.make(event),
      ...(letter === letter.toUpperCase() ? { isTooCoarse: true } : {})
    })
  }
  return recent
}

const isList = (value: unknown): value is RecentEvaluations.RecentEvaluations => Array.isArray(value)

/** The column `rule_states.recent`; null until the rule has a state. */
export const RecentColumn = Schema.transform(Schema.NullOr(Schema.String), Schema.declare(isList), {
  strict: true,
  decode: (text) => (text === null ? RecentEvaluations.none : decode(text)),
  encode
})
