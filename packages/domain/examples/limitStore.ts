import { appendFile, readFile, writeFile } from "node:fs/promises"
import { LimitStore, Rate, type Subject } from "@place-access/domain/limits"
import { StoreError, Timestamp } from "@place-access/domain/shared"
import { Effect, Layer } from "effect"

type Calls = ReadonlyArray<Timestamp.Timestamp>

const io = <A>(work: () => Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({ try: work, catch: StoreError.broken })

/** What every spender has spent. The log is written anew without what is out of date, and without a line that a crash cut off. */
const open = (path: string): Effect.Effect<Map<string, Calls>, StoreError> =>
  io(async () => {
    const text = await readFile(path, "utf8").catch(() => "")
    const lines = text.split("\n").slice(0, -1)
    const spent = new Map(lines.map((line) => JSON.parse(line) as [string, Calls]))
    await writeFile(path, [...spent].map((entry) => `${JSON.stringify(entry)}\n`).join(""))
    return spent
  })

/**
 * Limits of one process: rates in memory, because the port may forget them; budgets in a log, because they protect
 * a secret.
 */
export const layer = (path: string): Layer.Layer<LimitStore, StoreError> =>
  Layer.effect(
    LimitStore,
    Effect.gen(function* () {
      const windows = new Map<Subject.Subject, Rate.Window>()
      const spent = yield* open(path)
      const oneAtATime = yield* Effect.makeSemaphore(1)

      return LimitStore.of({
        count: (subject, windowMillis, now) =>
          Effect.sync(() => {
            const window = Rate.count(windows.get(subject), windowMillis, now)
            windows.set(subject, window)
            return window
          }),

        spend: ({ connectionId, userId }, { name }, decide) =>
          Effect.gen(function* () {
            const key = JSON.stringify([userId, connectionId, name])
            const spending = decide(spent.get(key) ?? [], yield* Timestamp.now)
            if (spending._tag === "Spent") {
              yield* io(() => appendFile(path, `${JSON.stringify([key, spending.calls])}\n`))
              spent.set(key, spending.calls)
            }
            return spending
          }).pipe(oneAtATime.withPermits(1), Effect.uninterruptible)
      })
    })
  )
