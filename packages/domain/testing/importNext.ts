import { Effect, Option } from "effect"
import * as Pace from "../src/imports/Pace.js"
import { attempt, nextDue } from "../src/imports/runImports.js"
import type { PeopleLeases } from "../src/leases/WorkLeases.js"

/**
 * Works on one due import, as a worker does: reads the file to its end, or undoes the import. False when no import is
 * due, or when the attempt did not begin (`attempt`).
 */
export const importNext = (people: PeopleLeases, pace: Pace.Pace = Pace.QUICK) =>
  Effect.gen(function* () {
    const due = yield* nextDue(people, [])
    return Option.isSome(due) && (yield* attempt(people, due.value, pace))
  })
