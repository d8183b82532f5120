import { Effect } from "effect"
import { DAY, HOUR, MINUTE, SECOND } from "./edges.js"
import { act as withAccount } from "./accounts.js"
import { act as asApp } from "./apps.js"
import { at, back, type Cast, often, type Person, stage, type Took } from "./Cast.js"
import { act as asDeveloper } from "./developers.js"
import { act as asImporter } from "./imports.js"
import { act as asListener } from "./listeners.js"
import { act as asPerson, fixAt } from "./people.js"
import { act as asSteering } from "./steering.js"
import type { Course, Deed, Moment, Plan, PlanStep } from "./Plan.js"
import type { World } from "../world/World.js"

/** The mark that a run sets for each step that it skips, because the step is impossible at its time. */
const SKIPPED = "skipped"

/** The scenario that performs the steps of a plan. */
export const play =
  (plan: Plan) =>
  (world: World): Effect.Effect<void, unknown> =>
    Effect.gen(function* () {
      const cast = yield* stage(world, plan)
      for (const step of plan.steps) yield* noted(cast, take(cast, step))
    })

const noted = ({ world }: Cast, took: Took): Effect.Effect<void> =>
  Effect.flatMap(took, (isTaken) => (isTaken ? Effect.void : world.mark(SKIPPED)))

const take = (cast: Cast, step: PlanStep): Took => {
  switch (step.do) {
    case "wait":
    case "until":
    case "together":
    case "walk":
    case "commute":
    case "calls":
      return course(cast, step)
    default:
      return deed(cast, step)
  }
}

const deed = (cast: Cast, step: Deed): Took => {
  const { world } = cast
  switch (step.do) {
    case "crash":
      return Effect.gen(function* () {
        // A plan may name a worker that the run does not have. Then the step kills no process, and there is no process
        // to start again later.
        if (!(yield* world.crash(step.program))) return false
        const back = Effect.zipRight(Effect.sleep(step.downMs), world.restart(step.program))
        yield* Effect.fork(back)
        return true
      })
    case "jump":
      return Effect.as(world.jump(step.ms), true)
    case "fault": {
      const { fault, p, times } = step
      return Effect.as(world.fault(fault, { p, times: times ?? undefined }), true)
    }
    case "calm":
      return Effect.as(world.heal, true)
    case "sign in":
    case "use cookie":
    case "sign out":
    case "end other sessions":
    case "change password":
      return withAccount(cast, step)
    case "import":
    case "undo import":
    case "read imports":
      return asImporter(cast, step)
    case "listen":
    case "stop listening":
    case "end listening session":
      return asListener(cast, step)
    case "pause":
    case "resume":
    case "pause all":
    case "resume all":
    case "end exact location":
    case "steer":
    case "erase":
    case "read own history":
      return asSteering(cast, step)
    case "place":
    case "edit place":
    case "archive place":
    case "add phone":
    case "remove phone":
    case "offline":
    case "online":
    case "fix":
    case "visit":
    case "share":
    case "disconnect":
    case "user removes rule":
    case "read access log":
      return asPerson(cast, step)
    case "consent":
    case "exchange":
    case "refresh":
    case "revoke":
    case "call":
    case "rule":
    case "remove rule":
    case "read visits":
      return asApp(cast, step)
    default:
      return asDeveloper(cast, step)
  }
}

const course = (cast: Cast, step: Course): Took => {
  const { world } = cast
  switch (step.do) {
    case "wait":
      return Effect.as(world.advance(step.ms), true)
    case "until":
      return Effect.gen(function* () {
        const moment = momentOf(cast, step.moment, step.of)
        const now = yield* world.now
        if (moment === undefined || moment + step.offsetMs < now || moment - now > LONGEST) return false
        yield* world.advanceTo(moment + step.offsetMs)
        return true
      })
    case "together":
      return Effect.as(
        Effect.forEach(
          step.deeds,
          (one, n) =>
            Effect.zipRight(
              n * step.apartMs > 0 ? Effect.sleep(n * step.apartMs) : Effect.void,
              noted(cast, deed(cast, one))
            ),
          { concurrency: "unbounded", discard: true }
        ),
        true
      )
    case "walk":
      return walker(cast, step, (person) => walk(cast, person, step, step.way))
    case "commute":
      return walker(cast, step, (person) =>
        Effect.forEach(
          Array.from({ length: 2 * often(step.times) }, (_, n) => n % 2 === 0),
          (isIn) => Effect.zipRight(walk(cast, person, step, isIn ? "in" : "out"), world.advance(step.pauseMs)),
          { discard: true }
        )
      )
    case "calls":
      return Effect.gen(function* () {
        const { connection, purpose } = step
        const ask = { about: "latest" } as const
        for (let n = 0; n < often(step.times); n++) {
          const one = { do: "call", connection, back: 0, isFresh: n === 0, ask, purpose } as const
          if (!(yield* asApp(cast, one))) return false
        }
        return true
      })
  }
}

/**
 * The longest wait of a step `until`, in milliseconds. A step whose moment is further away is skipped. The limit is
 * longer than any tier with an end date (90 days) and its grace period (14 days).
 */
const LONGEST = 120 * DAY

const walker = (
  { people }: Cast,
  { person, phone }: { readonly person: number; readonly phone: number },
  go: (person: Person) => Effect.Effect<void>
): Took => {
  const found = at(people, person)
  return found === undefined || at(found.phones, phone) === undefined
    ? Effect.succeed(false)
    : Effect.as(go(found), true)
}

/** Sends two fixes, the first on one side of the place's boundary and the second on the other side. */
const walk = (
  cast: Cast,
  person: Person,
  { accuracyM, metres, pauseMs, phone, place }: Extract<Course, { readonly do: "walk" | "commute" }>,
  way: "in" | "out"
): Effect.Effect<void> => {
  const one = (edgeM: number) => fixAt(cast, person, { phone, place, edgeM, accuracyM, ageMs: 0 })
  const [from, to] = way === "in" ? [metres, -metres] : [-metres, metres]
  return one(from).pipe(Effect.zipRight(cast.world.advance(pauseMs)), Effect.zipRight(one(to)), Effect.asVoid)
}

/**
 * The time of a moment, in milliseconds since 1970; undefined when the moment has no time. Depending on the moment,
 * `index` is the index of a connection, an endpoint, a rule or a person.
 */
const momentOf = (cast: Cast, moment: Moment, index: number): number | undefined => {
  const later = (from: number | null | undefined, millis: number) =>
    from === undefined || from === null ? undefined : from + millis
  const held = at(cast.connections, index)
  const rule = at(cast.rules, index)
  switch (moment) {
    case "code ends":
      return later(held && back(held.codes, 0)?.at, MINUTE)
    case "access ends":
      return later(held && back(held.tokens, 0)?.at, HOUR)
    case "race ends":
      return later(held?.rotatedAt, 30 * SECOND)
    case "standard ends":
      return held?.standardEndsAt
    case "sensitive ends":
      return held?.sensitiveEndsAt
    case "fourteen days left":
      return later(held?.sensitiveEndsAt, -14 * DAY)
    case "seven days left":
      return later(held?.sensitiveEndsAt, -7 * DAY)
    case "grace ends":
      return later(held?.sensitiveEndsAt, 14 * DAY)
    case "old secret ends":
      return later(at(cast.endpoints, index)?.rotatedAt, DAY)
    case "window opens":
      return rule?.from ?? undefined
    case "window closes":
      return rule?.until ?? undefined
    case "window is late":
      return later(rule?.until, DAY)
    case "dwelt":
      return later(rule?.held.person.lastFixAt, (rule?.dwellMinutes ?? 0) * MINUTE)
    case "cooled down":
      return later(rule?.held.person.lastFixAt, 2 * MINUTE)
    case "session idle":
      return later(at(cast.people, index)?.lastUseAt, 14 * DAY)
    case "session over":
      return later(at(cast.people, index)?.signedInAt, 30 * DAY)
    case "guesses forgotten":
      return later(at(cast.people, index)?.lastGuessAt, 15 * MINUTE)
    case "pause ends":
      return held?.pauseEndsAt
  }
}
