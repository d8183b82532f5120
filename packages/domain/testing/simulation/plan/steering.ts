import { Effect } from "effect"
import { at, type Cast, done, type HeldTokens, long, type Took } from "./Cast.js"
import { DAY, HOUR } from "./edges.js"
import type { Deed } from "./Plan.js"

type SteeringStep = Extract<
  Deed,
  {
    readonly do:
      | "pause"
      | "resume"
      | "pause all"
      | "resume all"
      | "end exact location"
      | "steer"
      | "erase"
      | "read own history"
  }
>

const NOTHING = Effect.succeed(false)
const LENGTHS = { hour: HOUR, day: DAY, until_resumed: undefined } as const

/** Performs a step in which a user pauses or changes a connection, or deletes or reads history. */
export const act = (cast: Cast, step: SteeringStep): Took => {
  switch (step.do) {
    case "pause":
    case "resume":
    case "end exact location":
    case "steer": {
      const held = at(cast.connections, step.connection)
      return held === undefined ? NOTHING : Effect.as(ofConnection(cast, held, step), true)
    }
    default: {
      const person = at(cast.people, step.person)
      return person === undefined ? NOTHING : Effect.as(ofPerson(cast, person, step), true)
    }
  }
}

const ofConnection = (
  cast: Cast,
  connection: HeldTokens,
  step: Extract<SteeringStep, { readonly connection: number }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const now = yield* cast.world.now
    const { name } = connection.person
    const whose = { userId: connection.person.id, connectionId: connection.id }
    switch (step.do) {
      case "pause": {
        const paused = yield* done(cast, "pauseConnection", { ...whose, length: step.length }, name)
        if (paused !== undefined) connection.pauseEndsAt = endOf(step.length, now)
        return
      }
      case "resume":
        yield* done(cast, "resumeConnection", whose, name)
        return
      case "end exact location":
        yield* done(cast, "endExactLocation", whose, name)
        return
      case "steer": {
        const { sensitiveDays, standardDays } = step
        const terms = { scopes: step.scopes?.map(long) ?? null, standardDays, sensitiveDays }
        const changed = yield* done(cast, "changeConnection", { ...whose, ...terms }, name)
        if (changed === undefined) return
        if (standardDays !== null)
          connection.standardEndsAt = standardDays === "never" ? undefined : now + standardDays * DAY
        if (sensitiveDays !== null) connection.sensitiveEndsAt = now + sensitiveDays * DAY
      }
    }
  })

const endOf = (length: keyof typeof LENGTHS, now: number): number | undefined => {
  const millis = LENGTHS[length]
  return millis === undefined ? undefined : now + millis
}

const ofPerson = (
  cast: Cast,
  person: HeldTokens["person"],
  step: Extract<SteeringStep, { readonly person: number }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const now = yield* cast.world.now
    const { id: userId, name } = person
    switch (step.do) {
      case "pause all": {
        const paused = yield* done(cast, "pauseAll", { userId, length: step.length }, name)
        if (paused === undefined) return
        for (const connection of cast.connections)
          if (connection.person === person) connection.pauseEndsAt ??= endOf(step.length, now)
        return
      }
      case "resume all":
        yield* done(cast, "resumeAll", { userId }, name)
        return
      case "read own history":
        yield* done(cast, "readOwnHistory", { userId }, name)
        return
      case "erase": {
        const moment = step.around === "now" ? now : person.lastFixAt
        const args = { userId, from: moment - step.beforeMs, until: moment + step.afterMs }
        yield* done(cast, "eraseHistory", args, name)
      }
    }
  })
