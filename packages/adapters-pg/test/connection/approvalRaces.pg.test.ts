import { SqlStaffStore } from "@place-access/adapters-pg"
import { disconnect } from "@place-access/domain/connection"
import { StaffStore } from "@place-access/domain/staff"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Effect, Either, Fiber, Layer } from "effect"
import { expect, it } from "vitest"
import { migratedOn, migratedPostgres, withStores } from "../support/contracts.js"
import { held, overlapping, waitsOrEnds } from "../support/overlapping.js"
import { describePg, describeServers, postgres } from "../support/postgres.js"
import { ConsentStores } from "../support/uploadStores.js"

describeServers("two approvals of one app by one user", (server) => {
  const run = withStores(migratedOn(server), ConsentStores)

  it.each([
    ["who was never connected to it", false],
    ["who disconnected it before", true]
  ])("%s: the second waits for the first, and changes the connection that the first made [consent-6]", (_, isAgain) =>
    run(
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        const app = yield* Fixtures.app((yield* Fixtures.user).id, { status: "production" })
        const approve = ConsentFlow.approve(app, user, ["location.place.current"])
        if (isAgain) yield* disconnect(user.id, (yield* approve).connectionId)
        const [first, second] = yield* overlapping(server, approve, approve)
        expect(second.connectionId).toBe(first.connectionId)
      })
    )
  )
})

describePg("accountLock", "approvals and a change of the user's account", () => {
  const run = withStores(migratedPostgres, Layer.merge(ConsentStores, SqlStaffStore.layer))

  it("an approval that comes after a waiting change waits for it, so approvals cannot hold the change up [accounts-25]", () =>
    run(
      Effect.gen(function* () {
        const user = yield* Fixtures.user
        const production = Fixtures.app((yield* Fixtures.user).id, { status: "production" })
        const approval = Effect.map(production, (app) => ConsentFlow.approve(app, user, ["location.place.current"]))
        const [approve, approveOther] = [yield* approval, yield* approval]
        const change = Effect.flatMap(StaffStore, (staff) => staff.change(user.id, () => Either.right(null)))
        const { holder: first, release } = yield* held(approve)
        const order: Array<string> = []
        const noting = (name: string) => Effect.tap(() => Effect.sync(() => order.push(name)))
        const changed = yield* Effect.fork(noting("change")(change))
        yield* waitsOrEnds(postgres, changed)
        const approved = yield* Effect.fork(noting("second approval")(approveOther))
        yield* waitsOrEnds(postgres, approved, 2)
        yield* release
        yield* Fiber.joinAll([first, changed, approved])
        expect(order).toEqual(["change", "second approval"])
      })
    ))
})
