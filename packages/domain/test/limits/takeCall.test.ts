import { LimitStore, Rate, Subject, takeCall } from "@place-access/domain/limits"
import { ConnectionId, StoreError } from "@place-access/domain/shared"
import { Effect, Either } from "effect"
import { expect, it } from "vitest"

it.each([
  ["away", StoreError.unavailable("connection refused")],
  ["broken", StoreError.broken("no such table")]
])("a call that cannot be counted is not let through: the store is %s [limits-5]", (_, error) => {
  const store = LimitStore.of({ count: () => Effect.fail(error), ask: () => Effect.die("is not asked") })
  const call = takeCall(Subject.connection(ConnectionId.make("con_1")), Rate.perMinute(600))
  expect(Effect.runSync(Effect.either(Effect.provideService(call, LimitStore, store)))).toEqual(Either.left(error))
})
