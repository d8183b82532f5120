import { Effect } from "effect"
import type { Step } from "../../../imports/ImportStore.js"
import type { UserId } from "../../../shared/Ids.js"
import * as Timestamp from "../../../shared/Timestamp.js"
import * as Check from "../../Check.js"
import * as Imports from "../importSamples.js"
import * as Samples from "../ruleSamples.js"
import * as Visits from "../visitSamples.js"

/** A user with a phone and two places, in the order of their ids. */
export const ground = Effect.gen(function* () {
  const phone = yield* Visits.phone
  const [a, b] = [yield* Samples.place(phone.userId), yield* Samples.place(phone.userId)]
  const [home, gym] = a.id < b.id ? [a, b] : [b, a]
  const now = yield* Timestamp.now
  /** So many minutes before now. */
  const t = (minutes: number) => Timestamp.plus(now, -minutes * Timestamp.MINUTE)
  return { phone, userId: phone.userId, home: home.id, gym: gym.id, now, t }
})

/** An import of the user, under way. */
export const file = (userId: UserId) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    const made = yield* Imports.waiting(userId)
    const { lease } = yield* Imports.claimed(made.id, `file_${made.id}`, now)
    const bring = (parts: Pick<Partial<Step>, "fixes" | "visits">) =>
      Effect.map(Imports.advance(Imports.step(made, lease, now, parts)), (held) => Check.isTrue(held, "a step"))
    return { made, bring, device: { userId, id: made.deviceId } }
  })
