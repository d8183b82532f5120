import { Effect } from "effect"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { AppStore } from "../../../src/apps/AppStore.js"
import * as Import from "../../../src/imports/Import.js"
import type { ImportStore } from "../../../src/imports/ImportStore.js"
import { LeaseStore } from "../../../src/leases/LeaseStore.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import type { QueueName } from "../../../src/staff/ServiceStore.js"
import { ServiceStore } from "../../../src/staff/ServiceStore.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { WorkerId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type * as Vault from "../../../src/shared/Vault.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import * as Webhooks from "../deliveries/webhookFixtures.js"
import * as Imports from "../fixes/importSamples.js"

type Ports =
  | Webhooks.WebhookFixturePorts
  | ServiceStore
  | LeaseStore
  | MailOutbox
  | AccountStore
  | AppStore
  | ImportStore
  | Entropy.Entropy
  | Vault.Vault

const { DAY, HOUR, plus } = Timestamp

const counts = (since = -DAY) =>
  Effect.gen(function* () {
    const now = yield* Timestamp.now
    return yield* (yield* ServiceStore).counts(now, plus(now, since))
  })

const waiting = (queue: QueueName) =>
  Effect.map(counts(), ({ backlog }) => backlog.find((one) => one.queue === queue) ?? Check.fail("each queue"))

/**
 * What every `ServiceStore` must guarantee. Other cases store rows in the same database, so each case compares the
 * numbers from before and after its own writes.
 */
export const serviceStoreContract: Contract<Ports> = [
  {
    name: "counts: accounts, new ones by their date, and apps by status without revoked ones [staff-6]",
    run: Effect.gen(function* () {
      const [before, beforeNew] = [yield* counts(), yield* counts(1)]
      const owner = yield* Fixtures.user
      yield* Fixtures.app(owner.id)
      yield* Fixtures.app(owner.id, { status: "production" })
      yield* Fixtures.app(owner.id, { status: "production", revokedAt: yield* Timestamp.now })
      const after = yield* counts()
      Check.equal(after.accounts - before.accounts, 1, "accounts")
      Check.equal(after.newAccounts - before.newAccounts, 1, "a new one")
      Check.equal((yield* counts(1)).newAccounts - beforeNew.newAccounts, 0, "not new since a later moment")
      Check.equal(after.apps.sandbox - before.apps.sandbox, 1, "a sandbox app")
      Check.equal(after.apps.production - before.apps.production, 1, "an app in production, and not the revoked one")
    })
  },
  {
    name: "counts: deliveries that are due, with the time of the first; none that a worker has leased [staff-6]",
    run: Effect.gen(function* () {
      const before = yield* waiting("deliveries")
      const app = yield* Webhooks.ownedApp
      const endpoint = yield* Webhooks.endpoint(app.id)
      const at = plus(yield* Timestamp.now, -5_000)
      yield* Webhooks.insert(endpoint, { createdAt: at, originalAt: at })
      const due = yield* waiting("deliveries")
      Check.equal(due.rows - before.rows, 1, "one more")
      Check.isTrue(due.oldestDueAt !== null && due.oldestDueAt <= at, "due since then, or longer")
      yield* Webhooks.claimOne(endpoint)
      Check.equal((yield* waiting("deliveries")).rows, before.rows, "leased")
    })
  },
  {
    name: "counts: mail that is due or waits for a retry, since it was written, until it is sent [staff-6]",
    run: Effect.gen(function* () {
      const before = yield* waiting("mail")
      const outbox = yield* MailOutbox
      const user = yield* Fixtures.user
      const now = yield* Timestamp.now
      const at = plus(now, -5_000)
      const message = { to: user.id, dedupeKey: "backlog", subject: "S", body: "B" }
      yield* outbox.put(message, at)
      const due = yield* waiting("mail")
      Check.equal(due.rows - before.rows, 1, "due")
      Check.isTrue(due.oldestDueAt !== null && due.oldestDueAt <= at, "since it was written, or longer")
      yield* outbox.begin({ message, attempt: 1 }, plus(now, HOUR))
      yield* outbox.finish({ message, attempt: 1 }, { _tag: "Retry", dueAt: plus(now, HOUR), reason: "nobody answers" })
      Check.equal(yield* waiting("mail"), due, "the retry is not due yet")
      yield* outbox.finish({ message, attempt: 1 }, { _tag: "Sent", at: now })
      Check.equal(yield* waiting("mail"), before, "sent")
    })
  },
  {
    name: "counts: an import waits for a worker only while no other file of its owner is being read [staff-6, imports-6]",
    run: Effect.gen(function* () {
      const before = yield* waiting("imports")
      const first = yield* Imports.waiting()
      const second = yield* Imports.waiting(first.userId)
      const queued = yield* waiting("imports")
      Check.equal(queued.rows - before.rows, 2, "both")
      Check.isTrue(queued.oldestDueAt !== null && queued.oldestDueAt <= first.uploadedAt, "since then, or longer")
      const now = yield* Timestamp.now
      yield* Imports.claimed(first, "reads", now)
      Check.equal(yield* waiting("imports"), before, "the second waits for the first")
      const later = plus(now, Import.RETRY_AFTER)
      const { backlog } = yield* (yield* ServiceStore).counts(later, now)
      const rows = backlog.find(({ queue }) => queue === "imports")?.rows ?? 0
      Check.equal(rows - before.rows, 1, "the attempt counts as dead, so the second waits for a worker again")
      yield* Imports.forget(first, second)
    })
  },
  {
    name: "counts: the workers whose last beat has not run out [staff-6]",
    run: Effect.gen(function* () {
      const before = (yield* counts()).workers
      const store = yield* LeaseStore
      const now = yield* Timestamp.now
      const worker = Effect.map(Entropy.id("wrk"), (id) => WorkerId.make(id))
      yield* store.beat({ worker: yield* worker, aliveUntil: plus(now, 5_000) })
      yield* store.beat({ worker: yield* worker, aliveUntil: plus(now, -1) })
      Check.equal((yield* counts()).workers - before, 1, "one is alive")
    })
  }
]
