import { Effect } from "effect"
import type { ImportStep } from "../../../src/imports/ImportStore.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import * as Imports from "../fixes/importSamples.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Visits from "./visitSamples.js"

/** A user with a phone and the places `home` and `gym`. The id of `home` is smaller than the id of `gym`. */
export const ground = Effect.gen(function* () {
  const phone = yield* Visits.phone
  const [a, b] = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
  const [home, gym] = a.id < b.id ? [a, b] : [b, a]
  const now = yield* Timestamp.now
  /** The time that is `minutes` minutes before now. */
  const t = (minutes: number) => Timestamp.plus(now, -minutes * Timestamp.MINUTE)
  return { phone, userId: phone.userId, home: home.id, gym: gym.id, now, t }
})

/** Stores an import of the user that is in progress. */
export const file = (userId: UserId) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const made = yield* Imports.waiting(userId)
    const { lease } = yield* Imports.claimed(made, `file_${made.id}`, now)
    const bring = (parts: Pick<Partial<ImportStep>, "fixes" | "visits">) =>
      Effect.map(Imports.advance(Imports.step(made, lease, now, parts)), (held) => Check.isTrue(held, "a step"))
    return { made, bring, device: { userId, id: made.deviceId } }
  })
