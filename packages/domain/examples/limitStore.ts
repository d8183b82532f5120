import { appendFile, readFile, writeFile } from "node:fs/promises"
import { LimitStore, Rate, type Subject, ZoneQuestions } from "@place-access/domain/limits"
import { StoreError, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"

const io = <A>(work: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({ try: work, catch: StoreError.broken })

/**
 * The questions of every app about every person. The log is written anew without entries that are out of date, and
 * without a line that a crash cut off.
 */
const open = (path: string): Effect.Effect<Map<string, ZoneQuestions.ZoneQuestions>, StoreError> =>
  io(async () => {
    const text = await readFile(path, "utf8").catch(() => "")
    const lines = text.split("\n").slice(0, -1)
    const asked = new Map(lines.map((line) => JSON.parse(line) as [string, ZoneQuestions.ZoneQuestions]))
    await writeFile(path, [...asked].map((entry) => `${JSON.stringify(entry)}\n`).join(""))
    return asked
  })

/**
 * Limits for one process. The rates are in memory, because the port may forget them. The questions are in a log,
 * because their budget protects the place of a person.
 */
export const layer = (path: string): Layer.Layer<LimitStore, StoreError> =>
  Layer.effect(
    LimitStore,
    Effect.gen(function* () {
      const windows = new Map<Subject.LimitSubject, Rate.RateWindow>()
      const asked = yield* open(path)
      const oneAtATime = yield* Effect.makeSemaphore(1)

      return LimitStore.of({
        count: (subject, windowMillis, now) =>
          Effect.sync(() => {
            const window = Rate.count(windows.get(subject), windowMillis, now)
            windows.set(subject, window)
            return window
          }),

        ask: ({ appId, userId }, decide) =>
          Effect.gen(function* () {
            const key = JSON.stringify([userId, appId])
            const asking = decide(asked.get(key) ?? ZoneQuestions.none, yield* Timestamp.now)
            if (asking._tag === "Asked") {
              yield* io(() => appendFile(path, `${JSON.stringify([key, asking.questions])}\n`))
              asked.set(key, asking.questions)
            }
            return asking
          }).pipe(oneAtATime.withPermits(1), Effect.uninterruptible)
      })
    })
  )
