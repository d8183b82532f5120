import { Scope } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import type { Bar, Dot, Lane } from "./Lane.js"
import { type Deed, dotOf, number, text } from "./read.js"

type Entry = Simulation.Entry

const DAY = 86_400_000
const GRACE = 14 * DAY

/** The state of one connection while the trace is read. */
interface ConnectionTrack {
  readonly id: string
  readonly user: string
  readonly appId: string
  readonly dots: Array<Dot>
  readonly bars: Array<Bar>
  /** The connection's current terms (the ends of its tiers), and the entry that set them. */
  terms: Terms | undefined
}

interface Terms {
  readonly from: number
  readonly i: number
  readonly standardEndsAt: number
  /** The end of the sensitive tier; undefined when the connection has no sensitive scope. */
  readonly sensitiveEndsAt: number | undefined
}

const isSensitive = (scope: unknown): boolean => Scope.isScope(scope) && Scope.isSensitive(scope)

/**
 * Makes one lane for each connection. Bars show when the connection was live, live with coordinates, in the grace
 * period of the sensitive tier, or ended. Dots show the operations on the connection, without `readAccessLog`.
 */
export const connectionLanes = (
  entries: ReadonlyArray<Entry>,
  deeds: ReadonlyArray<Deed>,
  { end, nameOf }: { readonly end: number; readonly nameOf: (appId: string) => string }
): ConnectionLanes => {
  const found = new Map<string, ConnectionTrack>()
  /** The connection of each code and token. The key is the alias that the trace shows in place of the secret. */
  const secrets = new Map<string, ConnectionTrack>()
  const ends = new Map(entries.flatMap((entry) => (entry.kind === "done" ? [[entry.op, entry.t] as const] : [])))
  for (const deed of deeds) {
    const at = ends.get(deed.i) ?? deed.t
    const { args, name, value } = deed
    const track = byArgs(deed, { found, secrets })
    if (name === "consent" && deed.outcome?._tag === "ok") consented(deed, { at, found, secrets })
    if (track === undefined) continue
    if (name !== "readAccessLog") track.dots.push(dotOf(deed))
    for (const key of ["accessToken", "refreshToken"]) if (key in value) secrets.set(text(value[key]), track)
    const isDone = deed.outcome?._tag === "ok"
    if (isDone && (name === "disconnect" || (name === "revoke" && args["client"] === "right"))) over(track, at, deed.i)
  }
  for (const deed of deeds) {
    if (deed.name !== "revokeApp" || deed.outcome?._tag !== "ok") continue
    for (const track of found.values()) if (track.appId === text(deed.args["appId"])) over(track, deed.t, deed.i)
  }
  const lanes = [...found.values()].map((track): Lane => {
    over(track, end, undefined)
    const { appId, bars, dots, id, user } = track
    return { group: "Connections", label: `${user} ↔ ${nameOf(appId)} (${id})`, who: [user, nameOf(appId)], bars, dots }
  })
  return { lanes, userOf: (token) => secrets.get(token)?.user ?? "" }
}

export interface ConnectionLanes {
  readonly lanes: ReadonlyArray<Lane>
  /** The user whose connection a token belongs to; "" for an unknown token. */
  readonly userOf: (token: string) => string
}

interface TracksSoFar {
  readonly found: Map<string, ConnectionTrack>
  readonly secrets: Map<string, ConnectionTrack>
}

const byArgs = ({ args, name, value }: Deed, { found, secrets }: TracksSoFar): ConnectionTrack | undefined => {
  if (name === "consent") return found.get(text(value["connectionId"]))
  if (name === "exchange") return secrets.get(text(args["code"]))
  if (name === "refresh") return secrets.get(text(args["refreshToken"]))
  if (name === "call" || name === "revoke") return secrets.get(text(args["token"]))
  return "connectionId" in args ? found.get(text(args["connectionId"])) : undefined
}

const consented = (deed: Deed, { at, found, secrets }: TracksSoFar & { readonly at: number }): void => {
  const { actor, args, i, value } = deed
  const id = text(value["connectionId"])
  const isRenewal = value["mode"] === "renew_sensitive"
  const before = found.get(id)
  const track: ConnectionTrack = before ?? {
    id,
    user: actor,
    appId: text(args["appId"]),
    dots: [dotOf(deed)],
    bars: [],
    terms: undefined
  }
  found.set(id, track)
  secrets.set(text(value["code"]), track)
  const standardDays = number(args["standardDays"])
  const kept = track.terms?.standardEndsAt ?? Infinity
  close(track, at)
  const scopes = args["scopes"] as ReadonlyArray<unknown>
  track.terms = {
    from: at,
    i,
    standardEndsAt: isRenewal ? kept : standardDays === undefined ? Infinity : at + standardDays * DAY,
    sensitiveEndsAt: scopes.some(isSensitive) ? at + (number(args["sensitiveDays"]) ?? 0) * DAY : undefined
  }
}

/** Draws as bars the connection's terms (the ends of its tiers) that applied until `until`. */
const close = (track: ConnectionTrack, until: number): void => {
  const { bars, terms } = track
  if (terms === undefined) return
  const { from, i, sensitiveEndsAt, standardEndsAt } = terms
  const add = (look: Bar["look"], start: number, stop: number, words: string) => {
    if (stop > start) bars.push({ from: start, to: stop, look, text: words, i })
  }
  const end = Math.min(until, standardEndsAt)
  const lapse = sensitiveEndsAt === undefined ? from : Math.min(sensitiveEndsAt, end)
  const removal = sensitiveEndsAt === undefined ? from : Math.min(sensitiveEndsAt + GRACE, end)
  add("sensitive", from, lapse, "live, with coordinates")
  add("grace", lapse, removal, "coordinates lapsed, in the grace")
  add("live", removal, end, "live")
  add("ended", end, until, "standard tier ended")
  track.terms = undefined
}

const over = (track: ConnectionTrack, at: number, i: number | undefined): void => {
  close(track, at)
  if (i !== undefined) track.bars.push({ from: at, to: at, look: "ended", text: "ended", i })
}
