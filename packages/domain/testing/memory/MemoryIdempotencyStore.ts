import { Effect, Layer, Option } from "effect"
import type { AnswerKey } from "../../src/idempotency/Idempotency.js"
import { IdempotencyStore } from "../../src/idempotency/IdempotencyStore.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import { MemoryDatabase } from "./MemoryDatabase.js"

const nameOf = ({ keyHash, subject, userId }: AnswerKey): string => `${userId} ${subject} ${keyHash}`

/**
 * The in-memory `IdempotencyStore`. When the work fails, its writes stay, because the in-memory tables have no
 * rollback.
 */
export const layer: Layer.Layer<IdempotencyStore, never, MemoryDatabase> = Layer.effect(
  IdempotencyStore,
  Effect.map(MemoryDatabase, ({ idempotentAnswers }) => {
    const underWay = new Set<string>()
    return IdempotencyStore.of({
      once: (place, fingerprint, decide, work) =>
        Effect.gen(function* () {
          const name = nameOf(place)
          if (underWay.has(name)) return { _tag: "UnderWay" as const }
          underWay.add(name)
          return yield* Effect.gen(function* () {
            const now = yield* Timestamp.now
            const decision = decide(Option.fromNullable(idempotentAnswers.get(name)), now)
            if (decision._tag !== "Begin") return decision
            const { sealed, value } = yield* work
            if (sealed !== null) idempotentAnswers.set(name, { fingerprint, sealed, createdAt: now })
            return { _tag: "Worked" as const, value }
          }).pipe(Effect.ensuring(Effect.sync(() => underWay.delete(name))))
        })
    })
  })
)
