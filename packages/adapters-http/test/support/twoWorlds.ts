import { listConnections } from "@place-access/domain/connection"
import { ingestFixes } from "@place-access/domain/fixes"
import { type Geometry, Place } from "@place-access/domain/places"
import { type DeviceId, PlaceId, Timestamp, type UserId } from "@place-access/domain/shared"
import { MemoryDatabase, RuleSamples } from "@place-access/domain/testing"
import { Effect } from "effect"
import { connected, tokensIn } from "./connected.js"
import { north } from "./phone.js"
import { type Answer, jsonBody } from "./wire.js"
import { bearer, type World } from "./World.js"

/**
 * The points at which the generated lives have places and readings: the centres of the two shared places, a point near
 * the edge of the first place, a point beside each of the two places, and a point far from both places.
 */
export const SPOTS = {
  home: { lat: 52.37, lon: 4.89 },
  homeEdge: north({ lat: 52.37, lon: 4.89 }, 130),
  besideHome: north({ lat: 52.37, lon: 4.89 }, 260),
  work: { lat: 52.4, lon: 4.95 },
  besideWork: north({ lat: 52.4, lon: 4.95 }, 420),
  nowhere: { lat: 48.2, lon: 16.37 }
} as const satisfies Readonly<Record<string, Geometry.Point>>
export type Spot = keyof typeof SPOTS

/**
 * A step that happens in both worlds. The two worlds are two running services, which differ only in the hidden steps.
 * Ages are in seconds before the present.
 */
export type Step =
  | { readonly _tag: "Seen"; readonly spot: Spot; readonly ages: ReadonlyArray<number>; readonly accuracyM: number }
  /** A visit that the phone's system reports, at a place that the user shares with the app, or may share later. */
  | { readonly _tag: "Stayed"; readonly spot: "home" | "work"; readonly from: number; readonly to: number | null }
  | { readonly _tag: "Passed"; readonly minutes: number }
  | { readonly _tag: "Shared"; readonly home: boolean; readonly work: boolean; readonly earlier: boolean }
  | { readonly _tag: "Moved"; readonly spot: Spot }
  | { readonly _tag: "Asked" }

/**
 * A step that happens in only one of the two worlds, and that the app must not notice. `place` selects a place that an
 * earlier step made.
 */
export type Hidden =
  | { readonly _tag: "Made"; readonly spot: Spot; readonly radiusM: number; readonly label: string }
  | { readonly _tag: "Moved"; readonly place: number; readonly spot: Spot; readonly radiusM: number }
  | { readonly _tag: "Renamed"; readonly place: number; readonly label: string }
  | { readonly _tag: "Archived"; readonly place: number }
  | { readonly _tag: "SharedWithAnother"; readonly place: number }
  /** A visit that the phone's system reports, far from every place that the app knows. */
  | { readonly _tag: "Stayed"; readonly from: number; readonly to: number | null }

/** The steps of one world in order. The steps in `hidden` happen before `step`, and only in this world. */
export type Life = ReadonlyArray<{ readonly step: Step; readonly hidden: ReadonlyArray<Hidden> }>

const SCOPES = [
  "location.place.current",
  "location.place.lookup",
  "location.visits.read",
  "location.rules.place",
  "location.rules.zone",
  "location.zone.verify",
  "location.places.watch"
] as const

/** The parts of an answer that an app sees. Random parts are replaced, so that they are the same in both worlds. */
const seen = (question: string, { headers, status, text }: Answer) => ({
  question: alike(question),
  status,
  body: alike(text),
  headers: Array.from(headers, ([name, value]) => `${name}: ${RANDOM.has(name) ? value.length : value}`)
})

/**
 * Replaces the random parts of a text, so that texts of the two worlds can be compared: ids, and the seal of a cursor,
 * which depends on its connection. The tests choose the ids of places, so these ids are not replaced.
 */
const alike = (text: string): string =>
  text.replace(/\b([a-z]{3})_[0-9a-z]{24}\b/g, "$1_").replace(/("nextCursor":"[^".]+\.[^".]+\.)[^"]{43}"/g, '$1"')

const RANDOM = new Set(["date", "x-request-id"])

/**
 * How many times the app asks about a place that is not shared. The app asks by the ids of unshared places, and by an
 * unknown id when the life has too few unshared places.
 */
const GUESSES = 3
const NOBODYS = "plc_000000000000000000000000"

/**
 * Runs the steps of `life` for a new user. Returns the answers to the app's questions, and then its events, as text.
 * `sendsVisits`: whether the phone reports visits. `run` is a part of the ids of shared places, so that both worlds
 * have the same ids.
 */
export const witnessed = async (
  world: World,
  run: number,
  life: Life,
  sendsVisits: boolean
): Promise<ReadonlyArray<string>> => {
  world.clock.set("2026-03-01T12:00:00.000Z")
  const one = await connected(world)
  const { id: deviceId, userId } = await world.run(RuleSamples.device(one.person.account.id))
  const device = { id: deviceId, userId }
  const user = (method: string, path: string, body?: unknown) => one.person.send(method, path, body)
  const make = async (label: string, spot: Spot, radiusM: number) => {
    const place = { label, kind: "other", ...SPOTS[spot], radius_m: radiusM }
    return ((await user("POST", "/v1/user/places", place)).json as { readonly id: string }).id
  }
  const share = async (label: string, spot: Spot, radiusM: number) => {
    const id = PlaceId.make(`plc_${label}_${run}`)
    const circle = { ...SPOTS[spot], radiusM }
    await world.run(RuleSamples.place(userId, { id, label: Place.Label.make(label), circle }))
    return id
  }
  const home = await share("Home", "home", 150)
  const work = await share("Work", "work", 300)
  const other = await connectAnother(world, one.person)
  let grant = await one.connect(SCOPES, { places: [home, work] })
  const ask = (path: string, init: RequestInit = {}) =>
    world.call(path, { ...init, headers: { ...init.headers, ...bearer(grant.access_token).headers } })
  const post = (path: string, body: object) => ask(path, { method: "POST", ...jsonBody(body) })
  const zone = { ...SPOTS.besideHome, radius_m: 400, label: "Depot" }
  const rules = [
    ["place", await post("/v1/rules/place", { type: "enter", place_id: home })],
    ["zone", await post("/v1/rules/zone", { type: "exit", ...zone })]
  ] as const
  if (sendsVisits) await stay(world, device, "nowhere", 86_400, 86_000)
  const connections = await world.run(listConnections(userId))
  const connectionId = connections.find(({ app }) => app.id === one.app.id)?.id

  const observed: Array<ReturnType<typeof seen>> = []
  const note = (question: string, answer: Answer) => void observed.push(seen(question, answer))
  const askAll = async () => {
    grant = tokensIn(await one.refresh(grant.refresh_token))
    const read = async (path: string) => note(path, await ask(path))
    for (const age of [60, 900, 86_400]) await read(`/v1/answers/current-place?max_age_s=${age}`)
    for (const path of ["/v1/answers/places", "/v1/me", "/v1/rules/place", "/v1/rules/zone"]) await read(path)
    for (const id of [home, work]) await read(`/v1/answers/places/${id}/presence?max_age_s=86400`)
    for (let guess = 0; guess < GUESSES; guess++) {
      note(`guess ${guess}`, await ask(`/v1/answers/places/${hidden[guess] ?? NOBODYS}/presence`))
    }
    for (const [kind, { json }] of rules) {
      await read(`/v1/rules/${kind}/${(json as { readonly id: string }).id}/evaluations`)
    }
    note("verify-zone", await post("/v1/answers/verify-zone", { ...zone, max_age_s: 86_400 }))
    for (const seconds of [0, 1_800, 7_200]) {
      const at = new Date(world.clock.now() - seconds * 1_000).toISOString()
      await read(`/v1/lookup/place?at=${at}&tolerance_s=3600`)
    }
    for (const limit of [1, 3]) {
      let next: string | null = ""
      for (let page = 0; next !== null && page < 20; page++) {
        const answer: Answer = await ask(`/v1/visits?limit=${limit}${next}`)
        note(`visits, page ${page} of ${limit}`, answer)
        const { nextCursor } = answer.json as { readonly nextCursor: string | null }
        next = nextCursor === null ? null : `&cursor=${encodeURIComponent(nextCursor)}`
      }
    }
  }

  const hidden: Array<string> = []
  const hide = async (one: Hidden) => {
    const id = "place" in one ? hidden[one.place % Math.max(1, hidden.length)] : undefined
    if (one._tag === "Made") hidden.push(await make(one.label, one.spot, one.radiusM))
    else if (one._tag === "Stayed") await (sendsVisits ? stay(world, device, "nowhere", one.from, one.to) : undefined)
    else if (id === undefined) return
    else if (one._tag === "Archived") await user("DELETE", `/v1/user/places/${id}`)
    else if (one._tag === "Renamed") await user("PATCH", `/v1/user/places/${id}`, { label: one.label })
    else if (one._tag === "SharedWithAnother") await other(id)
    else await user("PATCH", `/v1/user/places/${id}`, { ...SPOTS[one.spot], radius_m: one.radiusM })
  }
  const live = async (step: Step) => {
    switch (step._tag) {
      case "Seen": {
        const now = world.clock.now()
        const fixes = step.ages.map((age) => ({
          ...SPOTS[step.spot],
          capturedAt: Timestamp.make(now - age * 1_000),
          accuracyM: step.accuracyM
        }))
        return void (await world.run(ingestFixes(device, fixes, [])))
      }
      case "Stayed":
        return sendsVisits ? stay(world, device, step.spot, step.from, step.to) : undefined
      case "Passed":
        return world.clock.advance(step.minutes * 60_000)
      case "Shared": {
        const ids = [...(step.home ? [home] : []), ...(step.work ? [work] : [])]
        const places = ids.map((id) => ({ id, include_earlier_visits: step.earlier }))
        return void (await user("PUT", `/v1/user/connections/${connectionId}/places`, { places }))
      }
      case "Moved":
        return void (await user("PATCH", `/v1/user/places/${work}`, SPOTS[step.spot]))
      case "Asked":
        return askAll()
    }
  }

  for (const { hidden, step } of life) {
    for (const one of hidden) await hide(one)
    await live(step)
  }
  await askAll()
  const events = await world.run(
    Effect.map(MemoryDatabase, (tables) =>
      [...tables.events.values()]
        .filter(({ appId }) => appId === one.app.id)
        .map(({ occurredAt, payload }) => [occurredAt, payload])
    )
  )
  return [...observed, ...events].map((one) => alike(JSON.stringify(one)))
}

/** Shares a place with an app of another developer. */
const connectAnother = async (world: World, person: Parameters<World["connect"]>[0]) => {
  const { app } = await world.app(await world.person(), { status: "production" })
  await world.connect(person, app, { scopes: ["location.place.current"] })
  const { json } = await person.get("/v1/user/connections")
  const [first] = (json as { readonly connections: ReadonlyArray<{ readonly id: string }> }).connections
  return (id: string) =>
    person.send("PUT", `/v1/user/connections/${first?.id}/places`, { places: [{ id, include_earlier_visits: true }] })
}

const stay = async (
  world: World,
  device: { readonly id: DeviceId; readonly userId: UserId },
  spot: Spot,
  from: number,
  to: number | null
) => {
  const at = (age: number) => Timestamp.make(world.clock.now() - age * 1_000)
  const departure = to === null ? null : at(Math.min(from, to))
  await world.run(ingestFixes(device, [], [{ ...SPOTS[spot], arrival: at(from), departure, accuracyM: 20 }]))
}
