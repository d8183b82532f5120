import { Effect } from "effect"
import { Phone } from "../world/Phone.js"
import { at, type Cast, done, north, often, ORIGIN, type Person, type Took } from "./Cast.js"
import type { Deed } from "./Plan.js"

type PersonStep = Extract<
  Deed,
  {
    readonly do:
      | "place"
      | "edit place"
      | "archive place"
      | "add phone"
      | "offline"
      | "remove phone"
      | "online"
      | "fix"
      | "visit"
      | "share"
      | "disconnect"
      | "user removes rule"
      | "read access log"
  }
>

const NOTHING = Effect.succeed(false)
const MOST_PLACES = 12
const MOST_PHONES = 4

/** Performs a step of a user or of a user's phone. */
export const act = (cast: Cast, step: PersonStep): Took => {
  switch (step.do) {
    case "share":
    case "disconnect": {
      const held = at(cast.connections, step.connection)
      if (held === undefined) return NOTHING
      const { id: connectionId, person } = held
      const who = { userId: person.id, connectionId }
      if (step.do === "disconnect") return Effect.as(done(cast, "disconnect", who, person.name), true)
      const places = [...new Set(step.places.map((index) => at(person.places, index)?.id ?? ""))].map((placeId) => ({
        placeId,
        includeEarlierVisits: step.isEarlierIncluded
      }))
      return Effect.as(done(cast, "sharePlaces", { ...who, places }, person.name), true)
    }
    case "user removes rule": {
      const rule = at(cast.rules, step.rule)
      if (rule === undefined) return NOTHING
      const { held, id: ruleId } = rule
      const args = { userId: held.person.id, connectionId: held.id, ruleId }
      return Effect.as(done(cast, "removeRuleOfUser", args, held.person.name), true)
    }
    default: {
      const person = at(cast.people, step.person)
      return person === undefined ? NOTHING : of(cast, person, step)
    }
  }
}

const of = (
  cast: Cast,
  person: Person,
  step: Exclude<PersonStep, { readonly do: "share" | "disconnect" | "user removes rule" }>
): Took => {
  const { id: userId, name, phones, places } = person
  switch (step.do) {
    case "place":
      return Effect.gen(function* () {
        if (places.length >= MOST_PLACES) return false
        const { kind, label, northM, radiusM } = step
        const draft = { label, kind, radiusM, ...north(northM) }
        const made = yield* done(cast, "createPlace", { userId, ...draft }, name)
        if (made !== undefined) places.push({ ...draft, id: made.placeId })
        return true
      })
    case "edit place":
      return Effect.gen(function* () {
        const place = at(places, step.place)
        if (place === undefined) return false
        const { edit } = step
        const { id: placeId, ...changed } = { ...place, ...("northM" in edit ? north(edit.northM) : edit) }
        const isDone = yield* done(cast, "updatePlace", { userId, placeId, ...changed }, name)
        if (isDone !== undefined) places[places.indexOf(place)] = { ...changed, id: placeId }
        return true
      })
    case "archive place": {
      const place = at(places, step.place)
      if (place === undefined) return NOTHING
      return Effect.as(done(cast, "archivePlace", { userId, placeId: place.id }, name), true)
    }
    case "add phone":
      return Effect.gen(function* () {
        if (phones.length >= MOST_PHONES) return false
        const made = yield* done(cast, "addDevice", { userId, name: `phone ${phones.length + 1}` }, name)
        if (made !== undefined) {
          phones.push(new Phone(cast.world, { userId, deviceId: made.deviceId, actor: name }))
        }
        return true
      })
    case "read access log":
      return Effect.as(done(cast, "readAccessLog", { userId }, name), true)
    default: {
      const phone = at(phones, step.phone)
      return phone === undefined ? NOTHING : by(cast, { person, phone }, step)
    }
  }
}

const by = (
  cast: Cast,
  { person, phone }: { readonly person: Person; readonly phone: Phone },
  step: Extract<PersonStep, { readonly phone: number }>
): Took => {
  switch (step.do) {
    case "offline":
      return Effect.as(phone.offline, true)
    case "online":
      return Effect.as(phone.online({ shuffle: step.shuffle, duplicate: often(step.duplicate) }), true)
    case "remove phone":
      return Effect.as(phone.remove(), true)
    case "fix":
      return Effect.as(fixAt(cast, person, step), true)
    case "visit":
      return Effect.gen(function* () {
        const now = yield* cast.world.now
        const { arrivedMs, stayedMs } = step
        if (arrivedMs === null && stayedMs === null) return false
        const arrival = arrivedMs === null ? null : now - arrivedMs
        const departure = stayedMs === null ? null : (arrival ?? now) + stayedMs
        yield* phone.visit({ arrival, departure, ...spot(person, step) })
        return true
      })
  }
}

/** A point north of a place's centre, `edgeM` metres outside the place's boundary; inside when `edgeM` is negative. */
const spot = ({ places }: Person, { edgeM, place }: { readonly place: number; readonly edgeM: number }) => {
  const found = at(places, place)
  if (found === undefined) return north(edgeM)
  const metres = Math.max(0, found.radiusM + edgeM)
  return { lat: found.lat + north(metres).lat - ORIGIN.lat, lon: found.lon }
}

export const fixAt = (
  { world }: Cast,
  person: Person,
  fix: {
    readonly phone: number
    readonly place: number
    readonly edgeM: number
    readonly accuracyM: number | null
    readonly ageMs: number
  }
): Effect.Effect<unknown> =>
  Effect.flatMap(world.now, (now) => {
    const capturedAt = now - fix.ageMs
    person.lastFixAt = Math.max(person.lastFixAt, capturedAt)
    const phone = at(person.phones, fix.phone)
    return phone === undefined ? Effect.void : phone.fix({ ...spot(person, fix), accuracyM: fix.accuracyM, capturedAt })
  })
