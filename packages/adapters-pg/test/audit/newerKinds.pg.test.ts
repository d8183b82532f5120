import { SqlAuditLog } from "@place-access/adapters-pg"
import { AuditEvent, AuditLog } from "@place-access/domain/audit"
import { Timestamp } from "@place-access/domain/shared"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const AT = Timestamp.make(1_772_366_400_000)
const known: AuditEvent.AuditEvent = {
  at: AT,
  userId: null,
  actor: AuditEvent.OPERATOR,
  detail: { kind: "account_deleted" }
}

describeServers("the audit log after a newer release was rolled back", (server) => {
  const run = withStores(migratedOn(server), SqlAuditLog.layer)

  it("leaves out kinds that this release does not know, and shows the rest [audit-4]", () =>
    run(
      Effect.gen(function* () {
        const [log, sql] = [yield* AuditLog, yield* SqlClient]
        yield* log.append(known)
        yield* sql`INSERT INTO audit_events (user_id, at, kind, actor, actor_id, detail, kept_until)
                   SELECT user_id, at, 'invented_later', 'Machine', actor_id, '{"kind":"invented_later"}', kept_until
                   FROM audit_events`
        const { items } = yield* log.list({}, 10, undefined)
        expect(items.map(({ detail }) => detail)).toEqual([known.detail])
      })
    ))
})
