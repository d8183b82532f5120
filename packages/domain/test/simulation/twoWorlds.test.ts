import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { DAY, FAR, HOME, HOUR, MINUTE, north, SCOPES } from "./plants/scene.js"
import { plants } from "./plants/visits.js"

/**
 * Compares what an app reads in several worlds, page by page, without the cursors. The worlds differ only in what the
 * app must not see: stays at `FAR`, a point that the user shares with nobody, and an unshared place there.
 */

interface Elsewhere {
  /** Whether the user has a place at `FAR`, which is not shared. */
  readonly isDrawn: boolean
  /** In how many of six absences from home the user stays at `FAR`. */
  readonly stays: number
}

const walkOf = ({ isDrawn, stays }: Elsewhere, limit: number, sabotage?: Simulation.Sabotage) => {
  const pages: Array<unknown> = []
  const result = Simulation.runSync(
    { seed: 3, worker: { pollEvery: "1 hour" }, ...(sabotage && { sabotage }) },
    (world) =>
      Effect.gen(function* () {
        const ana = yield* world.user("ana")
        const home = yield* ana.place({ label: "Home", ...HOME, radiusM: 200 })
        if (isDrawn) yield* ana.place({ label: "Elsewhere", ...FAR, radiusM: 200 })
        const phone = yield* ana.phone()
        const app = yield* world.app({ scopes: SCOPES })
        const connection = yield* app.connect(ana, { scopes: SCOPES, places: [home], standardDays: null })
        const start = yield* world.now
        const stay = (point: { readonly lat: number; readonly lon: number }, at: number) =>
          phone.upload(
            [0, 10, 20].map((minute) => ({ ...point, capturedAt: start + at + minute * MINUTE, accuracyM: 10 }))
          )
        yield* world.advance(DAY)
        for (let n = 0; n < 6; n++) {
          yield* stay(HOME, n * 3 * HOUR)
          // In all worlds the user is away from home at the same times. The app may learn that the user is not at home.
          // It must learn neither where the user is then, nor how long the user stays there.
          if (n < stays) yield* stay(FAR, n * 3 * HOUR + HOUR)
          else yield* phone.upload([{ ...north(9_000), capturedAt: start + n * 3 * HOUR + HOUR, accuracyM: 10 }])
        }
        yield* connection.refresh
        let cursor: string | null = null
        do {
          const request: Simulation.Request = { endpoint: "GET /v1/visits", from: null, to: null, limit, cursor }
          const answer: Simulation.Answered = yield* connection.call(request)
          expect(answer.status).toBe(200)
          const { nextCursor, ...rest }: Readonly<Record<string, unknown>> = answer.body
          pages.push(JSON.parse(JSON.stringify(rest).replaceAll(home.id, "home")))
          cursor = typeof nextCursor === "string" ? nextCursor : null
        } while (cursor !== null)
      })
  )
  expect(result.stopped).toBeNull()
  return pages
}

const WORLDS: ReadonlyArray<Elsewhere> = [
  { isDrawn: false, stays: 0 },
  { isDrawn: true, stays: 0 },
  { isDrawn: false, stays: 6 },
  { isDrawn: true, stays: 3 },
  { isDrawn: true, stays: 6 }
]

it.each([1, 4, 100])("V2: worlds that differ only elsewhere give the same pages of %i", (limit) => {
  const [first, ...others] = WORLDS.map((elsewhere) => walkOf(elsewhere, limit))
  expect(first?.length).toBe(Math.ceil(6 / limit))
  for (const other of others) expect(other).toEqual(first)
})

it("V2: pages that are thinned out after they were filled do not", () => {
  const { sabotage } = plants.find(({ oracle }) => oracle === "V2") ?? {}
  const [first, last] = [WORLDS[0], WORLDS.at(-1)].map((elsewhere) => elsewhere && walkOf(elsewhere, 2, sabotage))
  expect(last).not.toEqual(first)
})
