import { AccessLogStore } from "@place-access/domain/access-log"
import { AccountStore } from "@place-access/domain/accounts"
import { Export, ExportStore, requestExport, runExports } from "@place-access/domain/exports"
import { everything } from "@place-access/domain/leases"
import { AccessLogEntryId, Timestamp } from "@place-access/domain/shared"
import { Fixtures, RuleSamples } from "@place-access/domain/testing"
import { Effect, Fiber, Option } from "effect"
import { describe, expect, it } from "vitest"
import { inVirtualTime } from "../support/archiveStores.js"

describe("the making of archives [exports-2]", () => {
  it("deletes expired archives also while archives of other people are due", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [store, accounts] = [yield* ExportStore, yield* AccountStore]
        const users = yield* Effect.all(Array.from({ length: 10 }, () => Fixtures.user))
        for (const { id } of users) yield* requestExport(id)
        let made = 0
        let cleanings = 0
        yield* Effect.fork(runExports(everything)).pipe(
          Effect.provideService(AccountStore, {
            ...accounts,
            find: (id) => Effect.zipRight(Effect.sleep("1 minute"), accounts.find(id))
          }),
          Effect.provideService(ExportStore, {
            ...store,
            finish: (...how) => Effect.tap(store.finish(...how), () => void made++),
            expire: (...asked) => {
              if (made < users.length) cleanings++
              return store.expire(...asked)
            }
          })
        )
        yield* Effect.sleep("30 minutes")
        expect(made).toBe(users.length)
        expect(cleanings).toBeGreaterThan(users.length)
      })
    )
  })

  it("goes on at once when the worker that makes an archive stops, with another one [leases-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [store, accounts] = [yield* ExportStore, yield* AccountStore]
        const { id } = yield* Fixtures.user
        const requested = yield* requestExport(id)
        const stopping = yield* Effect.fork(Effect.interruptible(runExports(everything))).pipe(
          Effect.provideService(AccountStore, { ...accounts, find: () => Effect.never })
        )
        yield* Effect.sleep("10 seconds")
        const state = Effect.map(
          store.find({ userId: id, id: requested.id }),
          Option.map((one) => one.state)
        )
        expect(yield* state).toEqual(Option.some("making"))
        yield* Fiber.interrupt(stopping)
        yield* Effect.fork(runExports(everything))
        yield* Effect.sleep("6 seconds")
        expect(yield* state).toEqual(Option.some("ready"))
      })
    )
  })

  it("is not given up because its workers are stopped, any number of times [leases-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [store, accounts] = [yield* ExportStore, yield* AccountStore]
        const requested = yield* requestExport((yield* Fixtures.user).id)
        for (let stops = 0; stops <= Export.MAX_ATTEMPTS; stops++) {
          const stopping = yield* Effect.fork(Effect.interruptible(runExports(everything))).pipe(
            Effect.provideService(AccountStore, { ...accounts, find: () => Effect.never })
          )
          yield* Effect.sleep("10 seconds")
          expect(Option.getOrThrow(yield* store.find(requested)).state).toBe("making")
          yield* Fiber.interrupt(stopping)
        }
        yield* Effect.fork(runExports(everything))
        yield* Effect.sleep("6 seconds")
        expect(Option.getOrThrow(yield* store.find(requested)).state).toBe("ready")
      })
    )
  })

  it("keeps no worker from stopping when the database does not answer [leases-2]", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [store, accounts] = [yield* ExportStore, yield* AccountStore]
        yield* requestExport((yield* Fixtures.user).id)
        const stopping = yield* Effect.fork(Effect.interruptible(runExports(everything))).pipe(
          Effect.provideService(AccountStore, { ...accounts, find: () => Effect.never }),
          Effect.provideService(ExportStore, { ...store, handBack: () => Effect.never })
        )
        yield* Effect.sleep("10 seconds")
        const before = yield* Timestamp.now
        yield* Fiber.interrupt(stopping)
        expect((yield* Timestamp.now) - before).toBeLessThanOrEqual(2_000)
      })
    )
  })

  it("needs one attempt also when pages that write nothing take longer than the lease", () => {
    inVirtualTime(
      Effect.gen(function* () {
        const [store, log] = [yield* ExportStore, yield* AccessLogStore]
        const { app, connection, user } = yield* RuleSamples.sharing()
        const at = yield* Timestamp.now
        // The access log gets five pages of entries. None of these entries is about a firing.
        for (let index = 0; index < 2_500; index++) {
          yield* log.record({
            id: AccessLogEntryId.make(`log_${index}`),
            userId: user.id,
            at,
            connectionId: connection.id,
            appId: app.id,
            endpoint: "GET /v1/me",
            purpose: null,
            status: 200,
            error: null,
            disclosed: null,
            times: 1
          })
        }
        const requested = yield* requestExport(user.id)
        const claims: Array<string> = []
        const worker = Effect.fork(runExports(everything)).pipe(
          Effect.provideService(AccessLogStore, {
            ...log,
            list: (...of) => Effect.zipRight(Effect.sleep("50 seconds"), log.list(...of))
          }),
          Effect.provideService(ExportStore, {
            ...store,
            claim: (leased, ...times) =>
              Effect.tap(store.claim(leased, ...times), (claimed) => {
                if (Option.isSome(claimed)) claims.push(leased.lease)
              })
          })
        )
        yield* worker
        yield* worker
        yield* Effect.sleep("30 minutes")
        expect(Option.getOrThrow(yield* store.find(requested)).state).toBe("ready")
        expect(claims).toHaveLength(1)
      })
    )
  })
})
