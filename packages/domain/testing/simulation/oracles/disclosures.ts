import type { Answered, LoggedAccess } from "../Operations.js"
import type { Oracle } from "../Oracle.js"
import type { Entry as TraceEntry } from "../Trace.js"
import { listOf, recordOf, saysPaused } from "./support/Answers.js"
import type { CallFact } from "./support/trace/Facts.js"
import { textOf } from "./support/trace/Happened.js"
import { into } from "./support/trace/into.js"
import type { Knowledge } from "./support/Knowledge.js"
import { lastReadings } from "./support/Log.js"
import { oracle } from "./support/trace/oracle.js"
import { isSensitiveEndpoint, COORDINATE } from "../Specification.js"

/**
 * Oracles of the texts in the access log that say what the app learned from an answer (Spec §1.7). The service chooses
 * the words; the oracles check only what each text must mention.
 */

type Entry = Pick<LoggedAccess, "disclosed" | "purpose" | "endpoint" | "error" | "status">

/**
 * The entry of the access log for each call with a valid token. The key is the number of the trace entry that began the
 * call.
 */
const written = (known: Knowledge): ReadonlyMap<number, Entry> => {
  const found = new Map<number, Entry>()
  for (const entry of known.trace.entries) {
    if (entry.kind !== "port" || entry.port !== "AccessLogStore" || entry.method !== "record" || entry.op === null)
      continue
    if (entry.args !== undefined) found.set(entry.op, entry.args as Entry)
  }
  return found
}

/**
 * The label of the place or zone that the call is about; "" when the call has none. The text of the log entry may
 * contain the label. A label may be any text, even a coordinate or the word "not".
 */
const labelOf = ({ op }: CallFact, { body }: Answered): string => {
  const { request } = op.args
  if (request.endpoint === "POST /v1/answers/verify-zone" || request.endpoint === "POST /v1/rules/zone")
    return request.label
  return textOf((recordOf(body["place"]) ?? recordOf(body["target"]))?.["label"]) ?? ""
}

/**
 * What the text of the log entry must contain; null when the entry must have no text. The patterns apply to the text
 * without its label.
 */
const mustSay = (fact: CallFact, answered: Answered): ReadonlyArray<string | RegExp> | null => {
  const { body, status } = answered
  const { request } = fact.op.args
  if (status >= 300) return null
  if (saysPaused(body)) return [/^Nothing\b.*\bpaused\b/]
  const label = labelOf(fact, answered)
  switch (request.endpoint) {
    case "GET /v1/answers/current-place":
      return body["state"] === "at_place" ? [`at ${label}`] : [body["state"] === "elsewhere" ? /none of/ : /not known/]
    case "GET /v1/answers/places/{place_id}/presence":
      return [label, body["state"] === "yes" ? /^(?!.*\bnot\b)/ : body["state"] === "no" ? /\bnot at\b/ : /not known/]
    case "POST /v1/answers/verify-zone":
      return [label, body["state"] === "unknown" ? /not known/ : new RegExp(`: ${textOf(body["state"])}$`)]
    case "GET /v1/lookup/place":
      return [body["asOf"] === null ? /not known/ : body["matched"] === true ? `at ${label}` : /none of/]
    case "GET /v1/answers/places":
      return [new RegExp(`\\b${listOf(body["places"]).length || "none of"}\\b`)]
    case "GET /v1/visits": {
      const visits = listOf(body["visits"])
      return visits.length === 0 ? [/no visits/] : [visits.length === 1 ? /^(?:1|one|a) / : `${visits.length} `]
    }
    case "GET /v1/locations/timerange":
      return [new RegExp(`^${listOf(body["fixes"]).length || "(?:0|no)"} `)]
    case "GET /v1/locations/latest":
      return [recordOf(body["fix"]) === undefined ? /\bno\b/ : /location/]
    case "GET /v1/locations/lookup":
      return [body["matched"] === true ? /^(?!.*not known)/ : /not known/]
    case "GET /v1/locations/days":
      return [new RegExp(`\\b${listOf(body["days"]).length || "(?:0|no)"}\\b`)]
    case "POST /v1/rules/place":
    case "POST /v1/rules/zone":
      return [label]
    case "DELETE /v1/rules/place/{id}":
    case "DELETE /v1/rules/zone/{id}":
      return null
    default:
      return []
  }
}

/**
 * The text without the label. A label may also be a word that the service uses itself, and then the oracle cannot tell
 * which occurrence is the label. So the result has one text for each possibility.
 */
const without = (label: string, text: string): ReadonlyArray<string> => {
  if (label === "" || !text.includes(label)) return [text]
  const pieces = text.split(label)
  return pieces.slice(1).map((_, n) => `${pieces.slice(0, n + 1).join(label)}…${pieces.slice(n + 1).join(label)}`)
}

const A5 = oracle(
  "A5",
  "An entry says what its answer disclosed, and for a refused request that nothing was disclosed; it never has a coordinate (Spec §1.7)",
  (known, say) => {
    const entries = written(known)
    for (const fact of known.calls) {
      const { op } = fact
      const entry = entries.get(op.from)
      if (entry === undefined || op.outcome._tag !== "ok") continue
      const must = mustSay(fact, op.outcome.value)
      const label = labelOf(fact, op.outcome.value)
      const { disclosed } = entry
      if (must === null && disclosed !== null) say(op.to, "it says that something was disclosed, and nothing was")
      if (must === null) continue
      if (disclosed === null) say(op.to, `it says that ${op.args.request.endpoint} disclosed nothing`)
      else {
        const bare = without(label, disclosed)
        const isSaid = (part: string | RegExp) =>
          typeof part === "string" ? disclosed.includes(part) : bare.some((text) => part.test(text))
        if (!must.every(isSaid)) say(op.to, `“${disclosed}” is not what ${op.args.request.endpoint} answered`)
        else if (bare.every((text) => COORDINATE.test(text))) say(op.to, "it has a coordinate")
      }
    }
  }
)

const A6 = oracle(
  "A6",
  "The user reads each entry as it was written: its request, purpose, status and what was disclosed (Spec §1.7)",
  (known, say) => {
    const entries = new Map<string, Array<Entry>>()
    for (const entry of known.trace.entries) {
      if (entry.kind !== "port" || entry.port !== "AccessLogStore" || !isWriting(entry.method)) continue
      const args = recordOf(entry.args)
      const id = textOf(args?.["id"])
      if (args !== undefined && id !== undefined) into(entries, id, args as unknown as Entry)
    }
    for (const { outcome, to } of lastReadings(known).values()) {
      for (const read of outcome.value.entries) {
        // If several calls have tokens that have stopped working, the service writes one log entry that counts these
        // calls. The entry has the fields of the call that was stored first. The trace does not show which of two
        // simultaneous calls was first, so the entry may have the fields of either call.
        const candidates = entries.get(read.id) ?? []
        const differing = candidates.map((entry) => FIELDS.find((field) => entry[field] !== read[field]))
        const [other] = differing
        if (other !== undefined && !differing.includes(undefined))
          say(to, `${read.id}: ${other} is not what was written`)
      }
    }
  }
)

const FIELDS = ["endpoint", "purpose", "status", "error", "disclosed"] as const
const isWriting = (method: string): boolean =>
  method === "record" || method === "recordRepeat" || method === "recordUnless"

const A7 = oracle(
  "A7",
  "An entry has the purpose key that was sent, usable or not, if it is a key of the app; otherwise it has none (Spec §1.7, §4.4)",
  (known, say) => {
    const entries = written(known)
    for (const fact of known.calls) {
      const { op } = fact
      const entry = entries.get(op.from)
      const expected = purposeOf(fact)
      if (entry === undefined || expected === undefined || entry.purpose === expected) continue
      say(op.to, `it has ${entry.purpose === null ? "no purpose" : "a purpose"} and not ${expected ?? "none"}`)
    }
  }
)

/**
 * The purpose key that the log entry must show. Null: the entry must show none. Undefined: the oracle cannot tell. If
 * the app sent a text that is no key of its purposes, the entry must not contain this text, because an app could write
 * any text into the log.
 */
const purposeOf = ({ op, purpose: verdicts }: CallFact): string | null | undefined => {
  if (op.outcome._tag !== "ok") return undefined
  const { error, status } = op.outcome.value
  if (status === 200) return isSensitiveEndpoint(op.args.request.endpoint) ? (op.args.purpose ?? null) : null
  if (error !== "invalid_purpose" || verdicts?.size !== 1) return undefined
  return verdicts.has("unknown") || verdicts.has("missing") ? null : (op.args.purpose ?? null)
}

/**
 * The access log's entry for an event must say what the app learned. The entry of a rule's firing must contain the
 * label of a place of the user or of a zone.
 */
const A8 = oracle(
  "A8",
  "The entry of an event says what the event says: for a firing, where (Spec §1.7, §4.7)",
  (known, say) => {
    for (const { args, outcome, to } of lastReadings(known).values()) {
      const labels = labelsOf(known, args.userId)
      for (const { disclosed, endpoint, id } of outcome.value.entries) {
        if (!endpoint.startsWith("webhook ")) continue
        if (disclosed === null) say(to, `${id}: ${endpoint} disclosed nothing`)
        else if (/ (?:place|zone)\./.test(endpoint) && !labels.some((label) => disclosed.includes(` ${label}`)))
          say(to, `${id}: “${disclosed}” names nothing that ${endpoint} may be about`)
      }
    }
  }
)

/**
 * All labels that the user's places ever had, and the labels of all zones about the user. If the trace does not show
 * whose token created a zone, the zone may be about the user, so the label of this zone is included.
 */
const labelsOf = (known: Knowledge, userId: string): ReadonlyArray<string> => [
  ...[...known.trace.ops.values()].flatMap((op) =>
    (op.name === "createPlace" || op.name === "updatePlace") && op.args.userId === userId ? [op.args.label] : []
  ),
  ...known.calls.flatMap(({ op: { args }, token }) =>
    args.request.endpoint === "POST /v1/rules/zone" &&
    (token === undefined || token.family.connection.userId === userId)
      ? [args.request.label]
      : []
  )
]

/**
 * Whether a webhook of this type has an entry in the user's access log. Firings of rules and changes of places have an
 * entry.
 */
const isEntered = (type: string): boolean => /^(?:place|zone)\.|^places\.changed$/.test(type)

/**
 * The service writes the log entry of an event before it sends the event. If a worker dies between the two steps, the
 * user may read of an event that no app received. If the service sent the event first, an app could receive an event of
 * which the user never reads.
 */
const A9 = oracle(
  "A9",
  "The entry is written before the app learns anything: before the answer, and before the first webhook of an event (Spec §1.7)",
  (known, say) => {
    const ends = new Map(known.calls.map(({ op }) => [op.from, op]))
    const entered = new Map<string, Set<string>>()
    const posted = new Map<string, Set<string>>()
    for (const entry of known.trace.entries) {
      if (entry.kind === "port" && entry.port === "AccessLogStore" && entry.method === "record") {
        if (entry.outcome === "failed") continue
        const op = entry.op === null ? undefined : ends.get(entry.op)
        if (op?.outcome._tag === "ok" && entry.i > op.to)
          say(entry.i, `${op.args.request.endpoint} was answered before`)
        const args = recordOf(entry.args)
        const key = `${textOf(args?.["connectionId"])} ${textOf(args?.["endpoint"])}`
        if (args?.["status"] === 200) addTo(entered, key, textOf(args["id"]) ?? "")
      } else {
        const body = bodyOf(entry)
        const type = textOf(body?.["type"]) ?? ""
        if (!isEntered(type)) continue
        const key = `${textOf(body?.["grant_id"])} webhook ${type}`
        addTo(posted, key, textOf(body?.["event_id"]) ?? "")
        const [entries, events] = [entered.get(key)?.size ?? 0, posted.get(key)?.size ?? 0]
        if (entries < events) say(entry.i, `${events} events of type ${type} were sent, ${entries} were entered`)
      }
    }
  }
)

/** The body of the event that a receiver or a listener got; undefined for any other entry. */
const bodyOf = (entry: TraceEntry): Readonly<Record<string, unknown>> | undefined =>
  entry.kind === "posted"
    ? entry.body
    : entry.kind === "heard" && entry.message._tag === "Event"
      ? entry.message.body
      : undefined

const addTo = (sets: Map<string, Set<string>>, key: string, value: string): void => {
  sets.set(key, (sets.get(key) ?? new Set()).add(value))
}

export const disclosures: ReadonlyArray<Oracle> = [A5, A6, A7, A8, A9]
