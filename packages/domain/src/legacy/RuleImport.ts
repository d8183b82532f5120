import { Either, Schema } from "effect"
import type { Connection } from "../connection/Connection.js"
import * as AccountLimits from "../quotas/AccountLimits.js"
import * as ConcurrentLimit from "../rules/ConcurrentLimit.js"
import type { Rule, PlaceTarget } from "../rules/Rule.js"
import * as RuleLimits from "../rules/RuleLimits.js"
import * as RuleRequest from "../rules/RuleRequest.js"
import { AppId, ConnectionId, type PlaceId, RuleId, Sub, Timestamp, type Vault } from "../shared/index.js"
import * as Tier from "../tiers/Tier.js"

/**
 * Reads a file of rules that an operator imports. The rules are from the time before apps had endpoints (Spec §6.4.9).
 * The file has one JSON object in each line. If one line is wrong, no line is imported. Decisions legacy-2 and
 * legacy-3.
 */

/** Names a connection: by its id, or by the app and the `sub` with which the app knows the user. */
export type OwnerName = { readonly connectionId: ConnectionId } | { readonly appId: AppId; readonly sub: Sub }

export type RuleOwner = Pick<Connection, "userId" | "id" | "appId">

/** The content of one line of the file. The secret is not encrypted yet. */
export interface Line {
  /** The number of the line in the file, counted from 1. */
  readonly number: number
  readonly id: RuleId
  readonly owner: OwnerName
  readonly placeId: string
  readonly terms: RuleRequest.RuleTerms
  readonly url: string
  readonly secret: string
  readonly createdAt: Timestamp.Timestamp
}

export interface RuleImportFault {
  readonly line: number
  /** The name of the field with the fault. Null when the fault concerns the whole line. */
  readonly field: string | null
  /** A text to read after the field's name, such as "must be a string". It never repeats the value. */
  readonly message: string
}

/** A line whose connection was found, with its secret encrypted. */
export interface Ready {
  readonly line: Line
  readonly owner: RuleOwner
  readonly sealed: Vault.Sealed
}

export interface Imported {
  readonly rule: Rule<PlaceTarget>
  readonly sealed: Vault.Sealed
}

/** The stored data that `decide` needs. The connections stay locked until the rules are stored. */
export interface RuleImportFacts {
  readonly connections: ReadonlyArray<
    RuleOwner &
      Pick<Connection, "endedAt" | "standardExpiresAt"> & {
        /** The places that are shared with the app and not archived. */
        readonly places: ReadonlyArray<{ readonly id: PlaceId; readonly label: string }>
        /** The connection's rules that are not deleted. */
        readonly rules: ReadonlyArray<Rule>
      }
  >
  /** The stored rules whose user and rule id are those of a line of the file. Deleted rules are included. */
  readonly known: ReadonlyArray<Rule>
}

const FIELDS = [
  "id",
  "connection_id",
  "app_id",
  "sub",
  "type",
  "place_id",
  "dwell_minutes",
  "webhook_url",
  "secret",
  "active_from",
  "active_until",
  "max_event_age_s",
  "created_at"
] as const
type Field = (typeof FIELDS)[number]

const MIN_SECRET = 16
const MAX_SECRET = 512

const isRuleId = Schema.is(RuleId)
const isConnectionId = Schema.is(ConnectionId)
const isAppId = Schema.is(AppId)
const isSub = Schema.is(Sub)
const decodeTime = Schema.decodeUnknownOption(Timestamp.FromIso)

/** Reads the text of a file: the lines without a fault, and the faults of the other lines. Empty lines are ignored. */
export const read = (
  text: string,
  now: Timestamp.Timestamp
): { readonly lines: ReadonlyArray<Line>; readonly faults: ReadonlyArray<RuleImportFault> } => {
  const lines: Array<Line> = []
  const faults: Array<RuleImportFault> = []
  for (const [index, json] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (json.trim() === "") continue
    const line = Either.flatMap(parse(index + 1, json), (fields) => readLine(index + 1, fields, now))
    if (Either.isRight(line)) lines.push(line.right)
    else faults.push(...line.left)
  }
  return { lines, faults }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (
  line: number,
  json: string
): Either.Either<Readonly<Record<string, unknown>>, ReadonlyArray<RuleImportFault>> =>
  Either.try({
    try: (): unknown => JSON.parse(json),
    catch: () => [{ line, field: null, message: "is no JSON" }]
  }).pipe(
    Either.flatMap((value) =>
      isObject(value) ? Either.right(value) : Either.left([{ line, field: null, message: "is no JSON object" }])
    )
  )

const readLine = (
  number: number,
  given: Readonly<Record<string, unknown>>,
  now: Timestamp.Timestamp
): Either.Either<Line, ReadonlyArray<RuleImportFault>> => {
  const faults: Array<RuleImportFault> = []
  const wrong = (field: string, message: string): undefined => void faults.push({ line: number, field, message })
  const value = (field: Field): unknown => given[field] ?? undefined

  for (const field of Object.keys(given)) {
    if (FIELDS.some((known) => known === field)) continue
    wrong(/^\w{1,40}$/.test(field) ? field : "a field", "is not known here: see docs/legacy-webhooks.md")
  }
  const id = isRuleId(value("id"))
    ? RuleId.make(String(given["id"]))
    : wrong("id", "must be 1 to 64 letters, digits, _ or -")
  const owner = readOwner(value, wrong)
  const created = decodeTime(value("created_at"))
  const createdAt = created._tag === "Some" && created.value <= now ? created.value : undefined
  if (createdAt === undefined) wrong("created_at", "must be an ISO 8601 timestamp with a zone, and not in the future")
  const url = typeof value("webhook_url") === "string" ? String(given["webhook_url"]) : undefined
  if (url === undefined) wrong("webhook_url", "must be a string")
  const secret = readSecret(value("secret"), wrong)

  const requested = {
    type: given["type"],
    placeId: given["place_id"],
    dwellMinutes: given["dwell_minutes"],
    activeFrom: given["active_from"],
    activeUntil: given["active_until"],
    maxEventAgeS: given["max_event_age_s"]
  }
  // Checks the rule's window (`activeFrom` to `activeUntil`) as of the time when the rule was created. A rule whose
  // window has ended since then is not a fault.
  const checked = RuleRequest.checkPlace(requested, createdAt ?? Timestamp.make(0))
  if (Either.isLeft(checked)) for (const { field, message } of checked.left.problems) wrong(field, message)

  return faults.length > 0 ||
    id === undefined ||
    owner === undefined ||
    createdAt === undefined ||
    url === undefined ||
    secret === undefined ||
    Either.isLeft(checked)
    ? Either.left(faults)
    : Either.right({ number, id, owner, url, secret, createdAt, ...checked.right })
}

const readOwner = (
  value: (field: Field) => unknown,
  wrong: (field: string, message: string) => undefined
): OwnerName | undefined => {
  const [connectionId, appId, sub] = [value("connection_id"), value("app_id"), value("sub")]
  if (connectionId !== undefined) {
    if (appId !== undefined || sub !== undefined)
      return wrong("connection_id", "must stand alone, or app_id and sub in its place")
    return isConnectionId(connectionId) ? { connectionId } : wrong("connection_id", "must be the id of a connection")
  }
  if (isAppId(appId) && isSub(sub)) return { appId, sub }
  return wrong("connection_id", "is required, or app_id and sub in its place")
}

const readSecret = (value: unknown, wrong: (field: string, message: string) => undefined): string | undefined => {
  const isText =
    typeof value === "string" && value.length >= MIN_SECRET && value.length <= MAX_SECRET && !/\p{Cc}/u.test(value)
  if (!isText) {
    return wrong("secret", `must be ${MIN_SECRET} to ${MAX_SECRET} characters, none of them control characters`)
  }
  // UTF-8 cannot write one half of a surrogate pair, so the stored secret would differ from the secret of the receiver.
  return /\p{Cs}/u.test(value)
    ? wrong("secret", "must not have one half of a surrogate pair (\\ud800 to \\udfff) without the other")
    : value
}

/** A fault for each line with the same rule as an earlier line. */
export const repeated = (ready: ReadonlyArray<Ready>): ReadonlyArray<RuleImportFault> => {
  const seen = new Set<string>()
  return ready.flatMap(({ line, owner }) => {
    const key = `${owner.userId} ${line.id}`
    if (seen.has(key)) return [{ line: line.number, field: "id", message: "is in an earlier line already" }]
    seen.add(key)
    return []
  })
}

/**
 * The new rules, or all faults. `earlier` has the faults that were found before the connections were locked. A line is
 * skipped when the rule of the line is stored already (`isSame`), even if the rule was deleted. So an operator can
 * import a file again.
 */
export const decide = (
  ready: ReadonlyArray<Ready>,
  earlier: ReadonlyArray<RuleImportFault>,
  state: RuleImportFacts,
  now: Timestamp.Timestamp
): Either.Either<ReadonlyArray<Imported>, ReadonlyArray<RuleImportFault>> => {
  const faults = [...earlier]
  const news: Array<Imported> = []
  for (const one of ready) {
    const { line, owner } = one
    const wrong = (field: string, message: string): undefined => void faults.push({ line: line.number, field, message })
    const known = state.known.find((rule) => rule.userId === owner.userId && rule.id === line.id)
    if (known !== undefined) {
      if (!isSame(known, one)) wrong("id", "is another rule of this user already, or this one with other terms")
      continue
    }
    const connection = state.connections.find(({ id }) => id === owner.id)
    if (connection === undefined || connection.endedAt !== null || !isLive(connection, now)) {
      wrong("connection_id", "must be of a connection that has not ended")
      continue
    }
    const place = connection.places.find(({ id }) => id === line.placeId)
    if (place === undefined) {
      wrong("place_id", "must be of a place that the user shares with the app")
      continue
    }
    const present = [
      ...connection.rules,
      ...news.map(({ rule }) => rule).filter((rule) => rule.connectionId === owner.id)
    ]
    const windows = present.map(({ window }) => window)
    const limit = RuleLimits.exceeded(windows, line.terms.window, now)
    if (limit !== undefined) {
      wrong("connection_id", REACHED[limit._tag])
      continue
    }
    news.push({ rule: ruleOf(one, { _tag: "Place", placeId: place.id, label: place.label }), sealed: one.sealed })
  }
  return faults.length > 0 ? Either.left(faults.sort((a, b) => a.line - b.line)) : Either.right(news)
}

/** For each limit that a rule could exceed, the end of the message about the fault. */
const REACHED = {
  Active: `has ${ConcurrentLimit.MAX_ACTIVE} rules active at one instant already`,
  Evaluated: `has ${AccountLimits.RULES.most} rules that uploads evaluate already`
}

const isLive = (connection: Pick<Connection, "standardExpiresAt">, now: Timestamp.Timestamp): boolean =>
  Tier.standardIsLive({ ...connection, sensitiveExpiresAt: null }, now)

const ruleOf = ({ line, owner }: Ready, target: PlaceTarget): Rule<PlaceTarget> => ({
  userId: owner.userId,
  id: line.id,
  connectionId: owner.id,
  appId: owner.appId,
  target,
  ...line.terms,
  webhookUrl: line.url,
  isLegacy: true,
  createdAt: line.createdAt,
  disabledAt: null
})

const isSame = (rule: Rule, { line, owner }: Ready): boolean =>
  rule.isLegacy &&
  rule.connectionId === owner.id &&
  rule.target._tag === "Place" &&
  rule.target.placeId === line.placeId &&
  rule.type === line.terms.type &&
  rule.dwellMinutes === line.terms.dwellMinutes &&
  rule.webhookUrl === line.url &&
  rule.window.from === line.terms.window.from &&
  rule.window.until === line.terms.window.until &&
  rule.maxEventAgeS === line.terms.maxEventAgeS &&
  rule.createdAt === line.createdAt
