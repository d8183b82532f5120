import { Effect, Option } from "effect"
import { DeviceStore } from "../../../src/devices/DeviceStore.js"
import { DeviceName } from "../../../src/devices/Device.js"
import { AccountLimits } from "../../../src/quotas/index.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { DeviceId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Vault } from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import { freshHash } from "../connection/connectionSamples.js"
import * as Samples from "../rules/ruleSamples.js"

type Ports = DeviceStore | Entropy.Entropy | Vault

const aUser = Effect.map(Entropy.id("usr"), (id) => UserId.make(id))

/** What every `DeviceStore` must guarantee: a device is found by its token until its user removes the device. */
export const deviceStoreContract: Contract<Ports> = [
  {
    name: "create: what was stored is found by its token and listed, field by field",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const user = yield* aUser
      const lastSeenAt = yield* Timestamp.now
      const movement = Samples.movement(lastSeenAt)
      const made = yield* Samples.device(user, { name: DeviceName.make("Ada's 📱"), lastSeenAt, movement })
      Check.equal(Option.getOrNull(yield* devices.findByToken(user, made.tokenHash)), made, "found")
      Check.equal(yield* devices.list(user), [made], "listed")
    })
  },
  {
    name: `create: the ${AccountLimits.DEVICES.most}th is the last, also when several ask at once; removed ones make room [limits-9]`,
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const user = yield* aUser
      const now = yield* Timestamp.now
      yield* Samples.device(user, { removedAt: now })
      let last = yield* Samples.device(user)
      for (let made = 1; made < AccountLimits.DEVICES.most - 1; made++) last = yield* Samples.device(user)
      const rivals = yield* Effect.all([
        Samples.draftDevice(user),
        Samples.draftDevice(user),
        Samples.draftDevice(user)
      ])
      const outcomes = yield* Effect.forEach(rivals, devices.create, { concurrency: "unbounded" })
      Check.equal(outcomes.filter(Boolean).length, 1, "there was room for one")
      Check.equal((yield* devices.list(user)).length, AccountLimits.DEVICES.most, "stored")
      Check.isTrue(yield* devices.create(yield* Samples.draftDevice(yield* aUser)), "another user has room")
      yield* devices.remove(user, last.id, now)
      Check.isTrue(yield* devices.create(yield* Samples.draftDevice(user)), "a removed one makes room")
      Check.isTrue(!(yield* devices.create(yield* Samples.draftDevice(user))), "for one")
    })
  },
  {
    name: "findByToken: none for another token or another user",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const made = yield* Samples.device(yield* aUser)
      Check.isTrue(Option.isNone(yield* devices.findByToken(made.userId, yield* freshHash)), "another token")
      Check.isTrue(Option.isNone(yield* devices.findByToken(yield* aUser, made.tokenHash)), "another user")
    })
  },
  {
    name: "list: oldest first, then by id; of one user alone",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const user = yield* aUser
      const now = yield* Timestamp.now
      const ids: Array<DeviceId> = []
      for (const age of [1, 3, 2]) {
        ids.push((yield* Samples.device(user, { createdAt: Timestamp.plus(now, -age) })).id)
      }
      const twins = [yield* Samples.device(user), yield* Samples.device(user)].map((device) => device.id).sort()
      yield* Samples.device(yield* aUser)
      Check.equal(
        (yield* devices.list(user)).map((device) => device.id),
        [ids[1], ids[2], ids[0], ...twins],
        "ids"
      )
    })
  },
  {
    name: "keepAtHome: noted until it is taken back; false for a device that is not there, removed or another user's",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const now = yield* Timestamp.now
      const made = yield* Samples.device(yield* aUser)
      for (const staysAtHome of [true, true, false]) {
        Check.isTrue(yield* devices.keepAtHome(made.userId, made.id, staysAtHome), "noted")
        Check.equal(yield* devices.list(made.userId), [{ ...made, staysAtHome }], "listed")
      }
      Check.isTrue(!(yield* devices.keepAtHome(yield* aUser, made.id, true)), "another user's")
      Check.isTrue(!(yield* devices.keepAtHome(made.userId, DeviceId.make("dev_none"), true)), "not there")
      yield* devices.remove(made.userId, made.id, now)
      Check.isTrue(!(yield* devices.keepAtHome(made.userId, made.id, true)), "removed")
    })
  },
  {
    name: "remove: its token opens nothing and it is listed no more; true once, then false",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const user = yield* aUser
      const now = yield* Timestamp.now
      const [gone, stays] = [yield* Samples.device(user), yield* Samples.device(user)]
      Check.isTrue(yield* devices.remove(user, gone.id, now), "the first time")
      Check.isTrue(!(yield* devices.remove(user, gone.id, now)), "the second time")
      Check.isTrue(Option.isNone(yield* devices.findByToken(user, gone.tokenHash)), "its token")
      Check.equal(yield* devices.list(user), [stays], "listed")
    })
  },
  {
    name: "remove: false for a device that is not there or another user's",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const now = yield* Timestamp.now
      const made = yield* Samples.device(yield* aUser)
      Check.isTrue(!(yield* devices.remove(yield* aUser, made.id, now)), "another user's")
      Check.isTrue(!(yield* devices.remove(made.userId, DeviceId.make("dev_none"), now)), "not there")
      Check.equal(yield* devices.list(made.userId), [made], "listed")
    })
  },
  {
    name: "takeSetupLink: the device once, before its end; not of another user, nor of a removed device [devices-14]",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const now = yield* Timestamp.now
      const until = Timestamp.plus(now, 1)
      const linked = Effect.map(freshHash, (hash) => ({ setupLink: { hash, until } }))
      const user = yield* aUser
      const { setupLink, ...made } = yield* Samples.device(user, yield* linked)
      const hash = setupLink?.hash ?? (yield* freshHash)
      const take = (owner: UserId, key: typeof hash, at: Timestamp.Timestamp) =>
        Effect.map(devices.takeSetupLink(owner, key, at), Option.getOrNull)
      Check.equal((yield* devices.list(user))[0]?.setupLink, setupLink, "stored")
      Check.equal(yield* take(user, yield* freshHash, now), null, "another key")
      Check.equal(yield* take(yield* aUser, hash, now), null, "another user")
      Check.equal(yield* take(user, hash, until), null, "at its end")
      const rivals = Array.from({ length: 4 }, () => take(user, hash, now))
      const taken = (yield* Effect.all(rivals, { concurrency: "unbounded" })).filter((one) => one !== null)
      Check.equal(taken, [{ ...made, setupLink: null }], "one of several gets it")
      Check.equal(yield* devices.list(user), [{ ...made, setupLink: null }], "used up")

      const removed = yield* Samples.device(user, yield* linked)
      yield* devices.remove(user, removed.id, now)
      Check.equal(yield* take(user, removed.setupLink?.hash ?? hash, now), null, "of a removed device")
    })
  },
  {
    name: "remove: of several at once exactly one removes",
    run: Effect.gen(function* () {
      const devices = yield* DeviceStore
      const now = yield* Timestamp.now
      const made = yield* Samples.device(yield* aUser)
      const removed = yield* Effect.all(
        Array.from({ length: 5 }, () => devices.remove(made.userId, made.id, now)),
        { concurrency: "unbounded" }
      )
      Check.equal(removed.filter(Boolean).length, 1, "removals")
    })
  }
]
