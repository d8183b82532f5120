import { Effect, Layer } from "effect"
import type { Spender } from "../../src/limits/Budget.js"
import { LimitStore } from "../../src/limits/LimitStore.js"
import * as Rate from "../../src/limits/Rate.js"
import * as ZoneQuestions from "../../src/limits/ZoneQuestions.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

export const layer: Layer.Layer<LimitStore, never, MemoryDatabase> = Layer.effect(
  LimitStore,
  Effect.map(MemoryDatabase, ({ rateWindows, zoneQuestions }) =>
    LimitStore.of({
      count: (subject, windowMillis, now) =>
        Effect.sync(() => {
          const window = Rate.count(rateWindows.get(subject), windowMillis, now)
          rateWindows.set(subject, window)
          return window
        }),
      ask: (spender, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const asking = decide(zoneQuestions.get(keyOf(spender)) ?? ZoneQuestions.none, now)
          if (asking._tag === "Allowed") zoneQuestions.set(keyOf(spender), asking.questions)
          return asking
        })
    })
  )
)

/** The key in `Tables.zoneQuestions` of the app that asks and the user about whom it asks. */
export const keyOf = ({ appId, userId }: Spender): string => `${userId} ${appId}`
