import { Effect } from "effect"
import { DeviceStore } from "../../../devices/DeviceStore.js"
import * as Timestamp from "../../../shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../ruleSamples.js"
import * as Uploads from "../uploadSamples.js"

const devicesOf = (device: Parameters<typeof Uploads.view>[0]) =>
  Effect.map(Uploads.view(device), ({ devices }) => devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)))

/** What is known of a user's devices, for the decision which of them are carried. */
export const carrying: Contract<Uploads.Needs> = [
  {
    name: "view: the user's devices, those that stay at home marked, each with when it was seen; removed ones left out",
    run: Effect.gen(function* () {
      const { id: user } = yield* Fixtures.user
      const made = [yield* Samples.device(user), yield* Samples.device(user, { staysAtHome: true })]
      const [first, second] = made.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      if (first === undefined || second === undefined) return Check.fail("two devices")
      yield* Samples.device((yield* Fixtures.user).id)
      const now = yield* Timestamp.now
      const known = ({ id, staysAtHome }: typeof first, lastSeenAt: Timestamp.Timestamp | null) => ({
        id,
        staysAtHome,
        lastSeenAt
      })
      Check.equal(yield* devicesOf(first), [known(first, null), known(second, null)], "before")
      yield* Uploads.commit(second, { fixes: Uploads.fixes(1, now) })
      Check.equal(yield* devicesOf(first), [known(first, null), known(second, now)], "after an upload")
      yield* (yield* DeviceStore).remove(user, first.id, now)
      Check.equal(yield* devicesOf(second), [known(second, now)], "without the removed one")
    })
  }
]
