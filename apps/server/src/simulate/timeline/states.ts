// Reads from the trace of a run the state of each person, connection, rule and delivery after each change.
import { Scope } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { appNames, type Deed, deedsOf, number, text } from "./read.js"

type Entry = Simulation.Entry

const KINDS = ["Person", "Connection", "Rule", "Delivery"] as const
type SubjectKind = (typeof KINDS)[number]

/** A time on the clock of the run, in milliseconds. The page shows it as a date. */
interface Instant {
  readonly at: number
}
type Fact = string | number | Instant

/** A person, connection, rule or delivery, with each moment at which its state changed. */
export interface Subject {
  readonly kind: SubjectKind
  readonly id: string
  readonly label: string
  /** The changes, in order. `i` is the entry that made the change, and `facts` is the whole state after it. */
  readonly moments: ReadonlyArray<{ readonly i: number; readonly facts: Readonly<Record<string, Fact>> }>
}

/** Every subject of the run: sorted by kind, and within a kind in the order in which the subjects were made. */
export const statesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Subject> => {
  const deeds = deedsOf(entries)
  const book = new Book()
  const nameOf = appNames(deeds)
  const byEnd = new Map(deeds.map((deed) => [deed.i, deed] as const))
  const types = new Map(
    entries.flatMap((entry) =>
      entry.kind === "posted" ? [[text(entry.body["event_id"]), text(entry.body["type"])] as const] : []
    )
  )
  const typeOf = (eventId: string) => types.get(eventId) ?? "event"
  const known: TimelineState = {
    book,
    nameOf,
    connectionOf: new Map(),
    placeNames: new Map(),
    typeOf,
    posted: new Set()
  }
  for (const entry of entries) {
    if (entry.kind === "done") {
      const deed = byEnd.get(entry.op)
      if (deed?.outcome?._tag === "ok") done(known, entry.i, deed)
    } else if (entry.kind === "posted") posted(known, entry)
    else if (entry.kind === "port") worked(known, entry)
  }
  return book.subjects
}

interface TimelineState {
  readonly book: Book
  readonly nameOf: (appId: string) => string
  /** The connection of each code and token. The key is the alias that the trace shows in place of the secret. */
  readonly connectionOf: Map<string, string>
  readonly placeNames: Map<string, string>
  readonly typeOf: (eventId: string) => string
  /** The ids of the events of rules of which a webhook was posted already. */
  readonly posted: Set<string>
}

class Book {
  private readonly all = new Map<
    string,
    { readonly kind: SubjectKind; readonly label: string; facts: Record<string, Fact>; moments: Array<Moment> }
  >()

  has(id: string): boolean {
    return this.all.has(id)
  }

  begin(kind: SubjectKind, id: string, label: string): void {
    if (id !== "" && !this.all.has(id)) this.all.set(id, { kind, label, facts: {}, moments: [] })
  }

  /**
   * Sets facts of the subject; the value undefined removes a fact. Does nothing for an id that `begin` has not added.
   */
  set(id: string, i: number, changes: Readonly<Record<string, Fact | undefined>>): void {
    const subject = this.all.get(id)
    if (subject === undefined) return
    const facts = Object.fromEntries(
      Object.entries({ ...subject.facts, ...changes }).filter((pair): pair is [string, Fact] => pair[1] !== undefined)
    )
    if (JSON.stringify(facts) === JSON.stringify(subject.facts)) return
    subject.facts = facts
    if (subject.moments.at(-1)?.i === i) subject.moments.pop()
    subject.moments.push({ i, facts })
  }

  fact(id: string, name: string): Fact | undefined {
    return this.all.get(id)?.facts[name]
  }

  count(id: string, i: number, name: string, more: Readonly<Record<string, Fact | undefined>> = {}, by = 1): void {
    this.set(id, i, { ...more, [name]: Number(this.fact(id, name) ?? 0) + by })
  }

  /** The ids of the subjects of this kind that have this value under `name` in their present `facts`. */
  with(kind: SubjectKind, name: string, value: Fact): ReadonlyArray<string> {
    return [...this.all].flatMap(([id, one]) => (one.kind === kind && one.facts[name] === value ? [id] : []))
  }

  get subjects(): ReadonlyArray<Subject> {
    return KINDS.flatMap((kind) =>
      [...this.all].flatMap(([id, one]) =>
        one.kind === kind && one.moments.length > 0 ? [{ kind, id, label: one.label, moments: one.moments }] : []
      )
    )
  }
}

type Moment = Subject["moments"][number]

const at = (millis: unknown): Instant | undefined => (typeof millis === "number" ? { at: millis } : undefined)

/** The scopes without the prefix that all scopes have, such as `latest.read` for `location.latest.read`. */
const short = (scopes: unknown): string =>
  (scopes as ReadonlyArray<string>).map((scope) => scope.replace(/^location\./, "")).join(", ")

const done = (known: TimelineState, i: number, deed: Deed): void => {
  const { args, name } = deed
  if (name === "call") return called(known, i, deed)
  if ("connectionId" in args || name === "consent" || name === "exchange" || name === "refresh" || name === "revoke") {
    connectionChanged(known, i, deed)
  }
  if ("userId" in args || name === "signUp") personChanged(known, i, deed)
  if (name === "removeRuleOfUser") known.book.set(text(args["ruleId"]), i, { State: "removed by the user" })
  if (name === "revokeApp") {
    for (const id of known.book.with("Connection", "App", known.nameOf(text(args["appId"])))) {
      known.book.set(id, i, { State: "ended: the app was revoked" })
    }
  }
}

const personChanged = (known: TimelineState, i: number, { actor, args, name, value }: Deed): void => {
  const { book, placeNames } = known
  if (name === "signUp") {
    const id = text(value["userId"])
    book.begin("Person", id, actor)
    return book.set(id, i, { Places: 0, Phones: 0, Connections: 0, Uploads: 0 })
  }
  const user = text(args["userId"])
  switch (name) {
    case "createPlace":
      placeNames.set(text(value["placeId"]), text(args["label"]))
      return book.count(user, i, "Places")
    case "archivePlace":
      return book.count(user, i, "Places", {}, -1)
    case "addDevice":
      return book.count(user, i, "Phones")
    case "removeDevice":
      return book.count(user, i, "Phones", {}, -1)
    case "upload": {
      const newest = (args["fixes"] as ReadonlyArray<{ readonly capturedAt: number }>)
        .map(({ capturedAt }) => capturedAt)
        .reduce((a, b) => Math.max(a, b), -Infinity)
      const last = Number.isFinite(newest) ? at(newest) : book.fact(user, "Newest reading sent")
      const counts = `${number(value["accepted"]) ?? 0} new, ${number(value["duplicates"]) ?? 0} known, ${number(value["quarantined"]) ?? 0} put aside`
      return book.count(user, i, "Uploads", { "Newest reading sent": last, "Last upload": counts })
    }
    case "pauseAll":
      return book.set(user, i, { Paused: `all, ${text(args["length"])}` })
    case "resumeAll":
      return book.set(user, i, { Paused: undefined })
    case "eraseHistory":
      return book.count(user, i, "Parts of the history deleted")
    default:
  }
}

const connectionChanged = (known: TimelineState, i: number, { actor, args, name, t, value }: Deed): void => {
  const { book, connectionOf, nameOf, placeNames } = known
  const id =
    name === "consent"
      ? text(value["connectionId"])
      : text(args["connectionId"]) ||
        (connectionOf.get(text(args["code"] ?? args["refreshToken"] ?? args["token"])) ?? "")
  switch (name) {
    case "consent": {
      const isNew = !book.has(id)
      book.begin("Connection", id, `${actor} ↔ ${nameOf(text(args["appId"]))}`)
      connectionOf.set(text(value["code"]), id)
      const places = (args["places"] as ReadonlyArray<string>).map((place) => placeNames.get(place) ?? place)
      const isSensitive = (args["scopes"] as ReadonlyArray<unknown>).some(
        (scope) => Scope.isScope(scope) && Scope.isSensitive(scope)
      )
      const days = (of: unknown) => (typeof of === "number" ? at(t + of * 86_400_000) : "no end")
      book.set(id, i, {
        State: "live",
        App: nameOf(text(args["appId"])),
        ...(text(value["mode"]) === "renew_sensitive"
          ? {}
          : { Scopes: short(args["scopes"]), Places: places.join(", "), Ends: days(args["standardDays"]) }),
        ...(isSensitive ? { "Exact location until": days(args["sensitiveDays"]) } : {})
      })
      if (isNew) book.count(text(args["userId"]), i, "Connections")
      return
    }
    case "exchange":
    case "refresh":
      for (const key of ["accessToken", "refreshToken"]) connectionOf.set(text(value[key]), id)
      return book.set(id, i, {
        "Access token": text(value["accessToken"]),
        "Refresh token": text(value["refreshToken"]),
        Scopes: short(value["scopes"]),
        "Exact location until": at(value["sensitiveScopesExpireAt"]) ?? book.fact(id, "Exact location until")
      })
    case "revoke":
      if (args["client"] === "right") book.set(id, i, { State: "ended: the app revoked its token" })
      return
    case "disconnect":
      book.set(id, i, { State: "ended: the user disconnected" })
      return book.count(text(args["userId"]), i, "Connections", {}, -1)
    case "pauseConnection":
      return book.set(id, i, { Paused: text(args["length"]) })
    case "resumeConnection":
      return book.set(id, i, { Paused: undefined })
    case "endExactLocation":
      return book.set(id, i, { "Exact location until": "ended by the user" })
    case "sharePlaces": {
      const places = args["places"] as ReadonlyArray<{ readonly placeId: string }>
      return book.set(id, i, { Places: places.map(({ placeId }) => placeNames.get(placeId) ?? placeId).join(", ") })
    }
    case "changeConnection": {
      const days = (of: unknown, name: string) =>
        of === "never" ? "no end" : typeof of === "number" ? at(t + of * 86_400_000) : book.fact(id, name)
      return book.set(id, i, {
        ...(args["scopes"] === null ? {} : { Scopes: short(args["scopes"]) }),
        Ends: days(args["standardDays"], "Ends"),
        "Exact location until": days(args["sensitiveDays"], "Exact location until")
      })
    }
    default:
  }
}

const called = (known: TimelineState, i: number, { args, value }: Deed): void => {
  const { book, connectionOf } = known
  const id = connectionOf.get(text(args["token"])) ?? ""
  const request = args["request"] as Readonly<Record<string, unknown>>
  const body = (value["body"] ?? {}) as Readonly<Record<string, unknown>>
  const endpoint = text(request["endpoint"])
  const error = text(value["error"])
  book.count(id, i, "Calls", {
    "Last call": `${endpoint}: ${String(value["status"])}${error === "" ? "" : ` ${error}`}`
  })
  if (value["status"] === 201 && "type" in request) {
    const rule = text(body["id"])
    const target = body["target"] as { readonly label?: string } | undefined
    const minutes = number(request["dwellMinutes"])
    const what = `${text(request["type"])}${minutes === undefined ? "" : ` ${minutes} min`} ${target?.label ?? ""}`
    book.begin("Rule", rule, what)
    book.set(rule, i, {
      State: "live",
      Opens: at(request["activeFrom"]),
      Closes: at(request["activeUntil"]),
      "Waits in seconds": number(request["settleS"]),
      "Silence in seconds": number(request["silenceS"]),
      Events: 0
    })
  }
  if (value["status"] === 204) book.set(text(request["ruleId"]), i, { State: "removed by the app" })
}

/** Records a post: an attempt of the delivery and, for the first post of an event, the rule's new event. */
const posted = (
  { book, posted }: TimelineState,
  { body, i, reply, t }: Extract<Entry, { readonly kind: "posted" }>
): void => {
  const [rule, event] = [text(body["rule_id"]), text(body["event_id"])]
  const about = at(Date.parse(text(body["occurred_at"])))
  if (rule !== "" && !posted.has(event)) {
    posted.add(event)
    book.count(rule, i, "Events", { "Newest event": event, "It occurred": about })
  }
  for (const id of book.with("Delivery", "Event", event)) {
    if (text(body["endpoint_id"]) === book.fact(id, "Endpoint"))
      book.set(id, i, { "Last answer": String(reply), Sent: at(t) })
  }
}

interface Claimed {
  readonly deliveryId: string
  readonly endpointId: string
  readonly eventId: string
  readonly attempt: number
}

interface Finish {
  readonly _tag: string
  readonly attempt?: number
  readonly dueAt?: number
}

/** Records what a worker did with a delivery: it claimed the delivery, or it stored how an attempt ended. */
const worked = ({ book, typeOf }: TimelineState, entry: Extract<Entry, { readonly kind: "port" }>): void => {
  const { args, i, method, outcome, port, proc, value } = entry
  if (port !== "DeliveryStore") return
  const doubt = outcome === "ok" ? "" : ` (${outcome})`
  const ended = (id: string, { _tag, attempt, dueAt }: Finish) =>
    book.set(id, i, {
      State: `${_tag === "Retry" ? "waits" : _tag.toLowerCase()}${doubt}`,
      Attempt: attempt ?? book.fact(id, "Attempt"),
      Due: at(dueAt),
      "Taken by": undefined
    })
  if (method === "claim") {
    for (const { attempt, deliveryId, endpointId, eventId } of (value ?? []) as ReadonlyArray<Claimed>) {
      book.begin("Delivery", deliveryId, `${typeOf(eventId)} to ${endpointId}`)
      book.set(deliveryId, i, {
        State: "is being sent",
        Event: eventId,
        Endpoint: endpointId,
        Attempt: attempt,
        Due: undefined,
        "Taken by": proc
      })
    }
  } else if (method === "insertAttempted") {
    const { deliveryId, endpointId, eventId, finish } = args as Claimed & { readonly finish: Finish }
    book.begin("Delivery", deliveryId, `${typeOf(eventId)} to ${endpointId}`)
    book.set(deliveryId, i, { Event: eventId, Endpoint: endpointId, Attempt: 1 })
    ended(deliveryId, finish)
  } else if (method === "finish" && value !== false) {
    const { claim, finish } = args as { readonly claim: { readonly id: string }; readonly finish: Finish }
    ended(claim.id, finish)
  }
}
