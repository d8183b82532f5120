import { Effect, Layer } from "effect"
import { LimitStore } from "../../limits/LimitStore.js"
import * as Rate from "../../limits/Rate.js"
import * as Timestamp from "../../shared/Timestamp.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

export const layer: Layer.Layer<LimitStore, never, MemoryDatabase> = Layer.effect(
  LimitStore,
  Effect.map(MemoryDatabase, ({ budgets, rateWindows }) =>
    LimitStore.of({
      count: (subject, windowMillis, now) =>
        Effect.sync(() => {
          const window = Rate.count(rateWindows.get(subject), windowMillis, now)
          rateWindows.set(subject, window)
          return window
        }),
      spend: ({ connectionId, userId }, { name }, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const key = `${userId} ${connectionId} ${name}`
          const spending = decide(budgets.get(key) ?? [], now)
          if (spending._tag === "Spent") budgets.set(key, spending.calls)
          return spending
        })
    })
  )
)
