import { Coordinates, type Geometry } from "@place-access/domain/places"
import { CannotStart } from "@place-access/worker"
import { Console, Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { figuresOf, figuresText, silenceTable, type MeasuredLog } from "./figures.js"
import { digest, jsonLines, type NamedReplay, text } from "./lines.js"
import { type Log, read } from "./Log.js"
import type { ReplayOptions } from "./options.js"
import { CIRCLES_MAX, replayLog } from "./replayLog.js"
import { spots, stayPoints } from "./StayPoints.js"

/** Replays the files and prints the results. */
export const replay = (options: ReplayOptions): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const given = options.places === undefined ? undefined : yield* placesIn(options.places)
    const measured: Array<MeasuredLog> = []
    for (const file of options.files) {
      const log = yield* read(file)
      const circles = given ?? (yield* circlesOf(log, options.radiusM))
      if (options.output === "figures") {
        measured.push({ log, circles })
        continue
      }
      const result = yield* named(log, circles, options)
      const lines =
        options.output === "json" ? jsonLines(result) : [options.output === "digest" ? digest(result) : text(result)]
      yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
    }
    if (options.output === "figures") {
      yield* Console.log(figuresText(yield* figuresOf(measured, options)))
      yield* Console.log(yield* silenceTable(measured, options))
    }
  })

/**
 * Circles around the spots where the phone of the log stayed: the `CIRCLES_MAX` spots with the longest stays. Says on
 * standard error, which is no part of the output, how many spots are left out.
 */
export const circlesOf = (log: Log, radiusM: number): Effect.Effect<ReadonlyArray<Geometry.Circle>> => {
  const found = spots(stayPoints(log.readings), radiusM)
  const leftOut = found.length - CIRCLES_MAX
  return Effect.as(
    leftOut > 0
      ? Console.error(
          `${log.name} has ${found.length} spots. The replay leaves out the ${leftOut} with the shortest stays.`
        )
      : Effect.void,
    found.slice(0, CIRCLES_MAX)
  )
}

/**
 * Replays a log at the given places. The stores are in memory and have no failures, so only a bug can end the replay.
 */
export const named = (
  log: Log,
  circles: ReadonlyArray<Geometry.Circle>,
  { dwellMinutes, settleS, silenceS }: Pick<ReplayOptions, "dwellMinutes" | "settleS" | "silenceS">
): Effect.Effect<NamedReplay> =>
  Effect.map(Effect.orDie(replayLog(log, { circles, dwellMinutes, settleS, silenceS })), (replayed) => ({
    name: log.name,
    readings: log.readings.length,
    places: circles.length,
    replayed
  }))

const Places = Schema.parseJson(
  Schema.Array(
    Schema.Struct({
      lat: Coordinates.Latitude,
      lon: Coordinates.Longitude,
      radius_m: Schema.optionalWith(Coordinates.RadiusM, { default: () => Coordinates.RadiusM.make(150) })
    })
  )
)

const placesIn = (path: string): Effect.Effect<ReadonlyArray<Geometry.Circle>, CannotStart> =>
  Effect.tryPromise(() => readFile(path, "utf8")).pipe(
    Effect.flatMap(Schema.decode(Places)),
    Effect.mapError(
      () => new CannotStart({ message: `${path} must have a JSON list of objects with lat, lon and radius_m.` })
    ),
    Effect.filterOrFail(
      (all) => all.length <= CIRCLES_MAX,
      (all) =>
        new CannotStart({ message: `${path} has ${all.length} places: a replay can have at most ${CIRCLES_MAX}.` })
    ),
    Effect.map((all) => all.map(({ lat, lon, radius_m }) => ({ lat, lon, radiusM: radius_m })))
  )
