import { SqlAccountStore, SqlAppStore, SqlAuditLog, SqlStaffStore } from "@place-access/adapters-pg"
import { MemoryPasswordHasher } from "@place-access/domain/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, FastCheck as fc, Layer } from "effect"
import { it } from "vitest"
import { liveStaff, staffLives } from "../../../domain/test/support/staffLife.js"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const stores = Layer.mergeAll(
  SqlAccountStore.layer,
  SqlAppStore.layer,
  SqlAuditLog.layer,
  SqlStaffStore.layer,
  MemoryPasswordHasher.layer
)

/**
 * Deletes all accounts. The last admin of a scenario cannot lose the role, so the next scenario could not begin without
 * an admin.
 */
const withoutAccounts = Effect.flatMap(SqlClient, (sql) =>
  sql.unsafe("TRUNCATE accounts, apps, sessions, audit_events, sign_in_tries CASCADE")
)

describeServers("generated lives of staff", (server) => {
  const run = withStores(migratedOn(server), stores)

  it("an active admin is always left; a suspended account is paused; nobody decides about their own", () =>
    fc.assert(
      fc.asyncProperty(staffLives, (steps) =>
        run(Effect.zipRight(withoutAccounts, liveStaff(steps, new Set(), "example.com")))
      ),
      { numRuns: server.share(20) }
    ))
})
