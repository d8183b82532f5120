import { SqlAccountStore, SqlAppStore, SqlAuditLog, SqlMailOutbox, SqlStaffStore } from "@place-access/adapters-pg"
import { AccountStore } from "@place-access/domain/accounts"
import { AuditEvent } from "@place-access/domain/audit"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import { Fixtures } from "@place-access/domain/testing"
import { Effect, Layer, Option } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { overlapping } from "../support/overlapping.js"
import { describeServers } from "../support/postgres.js"

describeServers("an account that staff change while the account gets a role", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(
      SqlAccountStore.layer,
      SqlAppStore.layer,
      SqlAuditLog.layer,
      SqlMailOutbox.layer,
      SqlStaffStore.layer
    )
  )

  it("keeps the role: the change waits, and decides about the account as it is then [staff-1]", () =>
    run(
      Effect.gen(function* () {
        const [accounts, staff] = [yield* AccountStore, yield* StaffStore]
        const { id } = yield* Fixtures.user
        const change = staff.change(id, AccountChange.giveRole("reviewer", AuditEvent.OPERATOR))
        yield* overlapping(server, accounts.addRoles(id, ["developer"]), change)
        const { roles } = Option.getOrThrow(yield* accounts.find(id))
        expect(roles.toSorted()).toEqual(["developer", "reviewer"])
      })
    ))
})
