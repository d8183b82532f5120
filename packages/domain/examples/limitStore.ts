import { appendFile, readFile, rename, writeFile } from "node:fs/promises"
import { LimitStore, Rate, type Subject, ZoneQuestions } from "@place-access/domain/limits"
import { StoreError, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"

const io = <A>(work: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({ try: work, catch: StoreError.broken })

type Entry = readonly [appAndPerson: string, questions: ZoneQuestions.ZoneQuestions]

/** Parses a line. A line that a crash or a full disk cut off gives no entry, because its question got no answer. */
const entryOf = (line: string): ReadonlyArray<Entry> => {
  try {
    return [JSON.parse(line) as Entry]
  } catch {
    return []
  }
}

/**
 * Reads the log: the questions of every app about every person. Then replaces the log by one that has only the newest
 * entry of each app and person. The file is replaced as a whole, so that a crash leaves the old log or the new one.
 */
const open = (path: string): Effect.Effect<Map<string, ZoneQuestions.ZoneQuestions>, StoreError> =>
  io(async () => {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      // A missing log counts as empty. A log that cannot be read must not be replaced: its questions would be lost.
      if (error.code === "ENOENT") return ""
      throw error
    })
    const asked = new Map(text.split("\n").flatMap(entryOf))
    const draft = `${path}.new`
    await writeFile(draft, [...asked].map((entry) => `${JSON.stringify(entry)}\n`).join(""), { flush: true })
    await rename(draft, path)
    return asked
  })

/**
 * A `LimitStore` for one process. The rates are in memory, because an adapter may lose them in a crash. The questions
 * are in a log: if a restart forgot them, an app could ask more often, and find out where a person is.
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
            if (asking._tag === "Allowed") {
              // The line break comes first, so that the entry has its own line even after a write that failed halfway.
              yield* io(() => appendFile(path, `\n${JSON.stringify([key, asking.questions])}\n`))
              asked.set(key, asking.questions)
            }
            return asking
          }).pipe(oneAtATime.withPermits(1), Effect.uninterruptible)
      })
    })
  )
