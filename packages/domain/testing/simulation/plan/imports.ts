import { Effect } from "effect"
import { START } from "../engine/Engine.js"
import { at, back, type Cast, done, ORIGIN, type Person, type Took } from "./Cast.js"
import { DAY, MINUTE } from "./edges.js"
import type { Deed } from "./Plan.js"

type ImportStep = Extract<Deed, { readonly do: "import" | "undo import" | "read imports" }>

/** Limits a number of lines to 100, because a guided search may set the number to a boundary value of milliseconds. */
const few = (lines: number): number => Math.min(Math.max(0, lines), 100)

const NOTHING = Effect.succeed(false)

/**
 * The start of the walk from which all files have their readings. The walk was five years ago and far from every place,
 * so these readings must not change any answer about the present. If a reading changed an answer, oracles that know
 * nothing of imports would report a violation.
 */
const WALK = START - 5 * 365 * DAY
const reading = (index: number) => ({ capturedAt: WALK + index * MINUTE, lat: -30 + index / 1_000, lon: -60 })

/** Performs a step of a person who imports a file, undoes an import or reads the list of imports. */
export const act = (cast: Cast, step: ImportStep): Took => {
  const person = at(cast.people, step.person)
  if (person === undefined) return NOTHING
  const { id: userId, name } = person
  switch (step.do) {
    case "import":
      return Effect.as(importFile(cast, person, step), true)
    case "undo import": {
      const importId = back(person.imports, step.back)
      return importId === undefined ? NOTHING : Effect.as(done(cast, "undoImport", { userId, importId }, name), true)
    }
    case "read imports":
      return Effect.zipRight(
        done(cast, "readImports", { userId }, name),
        Effect.as(done(cast, "readOwnHistory", { userId }, name), true)
      )
  }
}

const importFile = (cast: Cast, person: Person, step: Extract<ImportStep, { readonly do: "import" }>) =>
  Effect.gen(function* () {
    const now = yield* cast.world.now
    const walk = Array.from({ length: few(step.entries) }, (_, n) => reading(few(step.from) + n))
    // The service must leave out readings of the last 24 hours. The position of these readings is `ORIGIN`, so if the
    // service stored them, its answers would wrongly say that the person is at home.
    const recent = Array.from({ length: few(step.recent) }, (_, n) => ({
      capturedAt: now - (n + 1) * MINUTE,
      ...ORIGIN
    }))
    const args = { userId: person.id, readings: [...walk, ...recent], wrong: few(step.wrong) }
    const made = yield* done(cast, "importFile", args, person.name)
    if (made !== undefined) person.imports.push(made.importId)
  })
