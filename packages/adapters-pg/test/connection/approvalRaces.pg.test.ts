import { disconnect } from "@place-access/domain/connection"
import { ConsentFlow, Fixtures } from "@place-access/domain/testing"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { overlapping } from "../support/overlapping.js"
import { describeServers } from "../support/postgres.js"
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
