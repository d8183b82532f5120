import { Effect } from "effect"
import type { Movement } from "../../../src/devices/Movement.js"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Samples from "../rules/ruleSamples.js"
import * as Uploads from "./uploadSamples.js"

const devicesOf = (device: Parameters<typeof Uploads.view>[0]) =>
  Effect.map(Uploads.view(device), ({ devices }) => devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)))

/**
 * What `FixStore.view` must guarantee about the user's devices. The domain uses the devices in the result of `view` to
 * decide which device the user carries.
 */
export const carrying: Contract<Uploads.UploadSamplePorts> = [
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
        lastSeenAt,
        lastFutureAt: null,
        movement: null
      })
      Check.equal(yield* devicesOf(first), [known(first, null), known(second, null)], "before")
      yield* Uploads.commit(second, { fixes: Uploads.fixes(1, now) })
      Check.equal(yield* devicesOf(first), [known(first, null), known(second, now)], "after an upload")
      yield* (yield* DeviceStore).remove(user, first.id, now)
      Check.equal(yield* devicesOf(second), [known(second, now)], "without the removed one")
    })
  },
  {
    name: "commit: where the device rests and since when; an upload that says nothing of it leaves it was",
    run: Effect.gen(function* () {
      const { id: user } = yield* Fixtures.user
      const device = yield* Samples.device(user)
      const other = yield* Samples.device(user)
      const now = yield* Timestamp.now
      const movementOf = ({ id }: typeof device) =>
        Effect.map(Uploads.view(other), ({ devices }) => devices.find((one) => one.id === id)?.movement)
      const moved = Samples.movement(now)
      const rests: Movement = { ...moved, movedAt: null, before: null }
      for (const movement of [moved, rests, { ...moved, before: { spot: moved.spot, movedAt: null } }]) {
        yield* Uploads.commit(device, { fixes: Uploads.fixes(1, movement.heardAt), movement })
        Check.equal(yield* movementOf(device), movement, "as it was committed")
        yield* Uploads.commit(device, { putAside: [{ reason: "future", count: 1 }], movement: null })
        Check.equal(yield* movementOf(device), movement, "as it was")
      }
      Check.equal(yield* movementOf(other), null, "the other device's")
      const stale = yield* Uploads.commit(device, { version: 0, fixes: [], movement: moved })
      Check.isTrue(!stale, "an upload that was overtaken")
      Check.equal((yield* movementOf(device))?.before, { spot: moved.spot, movedAt: null }, "untouched by it")
      const [listed] = (yield* (yield* DeviceStore).list(user)).filter(({ id }) => id === device.id)
      Check.equal(listed?.movement?.spot, moved.spot, "listed")
    })
  }
]
