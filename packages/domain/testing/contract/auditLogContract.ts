import { Effect } from "effect"
import type { AccountStore } from "../../src/accounts/AccountStore.js"
import * as AuditEvent from "../../src/audit/AuditEvent.js"
import { type AuditFilter, AuditLog } from "../../src/audit/AuditLog.js"
import * as AccountDeletion from "../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../src/deletions/AccountDeletionStore.js"
import { RetentionStore } from "../../src/sweeps/RetentionStore.js"
import * as Entropy from "../../src/shared/Entropy.js"
import { AppId, EndpointId, PurposeId, UserId } from "../../src/shared/Ids.js"
import * as Timestamp from "../../src/shared/Timestamp.js"
import * as Check from "../Check.js"
import type { Contract } from "../Contract.js"
import * as Fixtures from "../fixtures.js"

type Ports = AccountDeletionStore | AccountStore | AuditLog | Entropy.Entropy | RetentionStore

const someId = Effect.map(Entropy.id("usr"), (id) => UserId.make(id))

const ofNow = (userId: UserId | null, detail: AuditEvent.AuditDetail, actor = AuditEvent.OWNER) =>
  Effect.map(Timestamp.now, (at): AuditEvent.AuditEvent => ({ at, userId, actor, detail }))

const appended = (event: AuditEvent.AuditEvent) =>
  Effect.as(
    Effect.flatMap(AuditLog, (log) => log.append(event)),
    event
  )

const RESET: AuditEvent.AuditDetail = { kind: "reset_link_made" }

const listed = (filter: AuditFilter) =>
  Effect.flatMap(AuditLog, (log) => Effect.map(log.list(filter, 1_000, undefined), ({ items }) => items))

/**
 * The events without their ids. The store makes the ids, so a case can compare only the other fields with the events
 * that the case wrote.
 */
const plain = (events: ReadonlyArray<AuditEvent.StoredAuditEvent>) =>
  events.map(({ actor, at, detail, userId }): AuditEvent.AuditEvent => ({ at, userId, actor, detail }))

/** What every `AuditLog` must guarantee, and what the stores that delete audit events must guarantee. */
export const auditLogContract: Contract<Ports> = [
  {
    name: "append: an event of every kind and actor is read as it was written",
    run: Effect.gen(function* () {
      const userId = yield* someId
      const staff = yield* someId
      const origin = { browser: "Firefox on Linux", network: "192.0.2.7" }
      const appId = AppId.make("app_1")
      const details: ReadonlyArray<AuditEvent.AuditDetail> = [
        { kind: "account_made", roles: ["reviewer", "admin"] },
        { kind: "account_suspended" },
        { kind: "sign_in", ...origin },
        { kind: "sign_in", browser: null, network: null },
        { kind: "sign_in_failed", network: "2001:db8::/64" },
        { kind: "locked_out", scope: "address", network: "192.0.2.7" },
        { kind: "sessions_ended", count: 3 },
        { kind: "password_changed", how: "link" },
        RESET,
        { kind: "factor_added", factor: "passkey" },
        { kind: "role_given", role: "admin" },
        { kind: "secret_rotated", secret: "signing", appId, endpointId: EndpointId.make("ep_1") },
        { kind: "secret_ended", secret: "client", appId, endpointId: null },
        { kind: "endpoint_moved", appId, endpointId: EndpointId.make("ep_1") },
        { kind: "review_decided", decision: "narrowed", appId, purposeId: PurposeId.make("pur_1") }
      ]
      const actors = [
        AuditEvent.OWNER,
        AuditEvent.OPERATOR,
        AuditEvent.STRANGER,
        AuditEvent.actorOf(staff, userId),
        AuditEvent.actorOf(userId, userId)
      ]
      const start = yield* Timestamp.now
      const written: Array<AuditEvent.AuditEvent> = []
      for (const [index, detail] of details.entries()) {
        const actor = actors[index % actors.length] ?? AuditEvent.OWNER
        written.push(yield* appended({ at: Timestamp.plus(start, index), userId, actor, detail }))
      }
      Check.equal(plain(yield* listed({ userId })), written.toReversed(), "newest first")
    })
  },
  {
    name: "list: by kind, by account (also as the member of staff who acted), by time, and all of it together",
    run: Effect.gen(function* () {
      const [userId, staff, other] = [yield* someId, yield* someId, yield* someId]
      const now = yield* Timestamp.now
      const at = (millis: number) => Timestamp.plus(now, millis)
      const by = AuditEvent.actorOf(staff, userId)
      const given = yield* appended({ at: at(1), userId, actor: by, detail: { kind: "role_given", role: "admin" } })
      const taken = yield* appended({ at: at(2), userId, actor: by, detail: { kind: "role_taken", role: "admin" } })
      const teammate: AuditEvent.AuditActor = { _tag: "Teammate", id: staff }
      const byTeammate = yield* appended({ at: at(4), userId: other, actor: teammate, detail: RESET })
      const own = yield* appended({ at: at(3), userId: staff, actor: AuditEvent.OWNER, detail: RESET })
      yield* appended({ at: at(2), userId: other, actor: AuditEvent.OWNER, detail: RESET })
      const read = (filter: AuditFilter) => Effect.map(listed(filter), plain)
      Check.equal(yield* read({ userId }), [taken, given], "about the account")
      Check.equal(yield* read({ userId: staff }), [byTeammate, own, taken, given], "about or by the account")
      Check.equal(yield* read({ userId, kind: "role_given" }), [given], "of a kind")
      Check.equal(yield* read({ userId, from: at(2) }), [taken], "from a moment, inclusive")
      Check.equal(yield* read({ userId, to: at(2) }), [given], "to a moment, exclusive")
      Check.equal(yield* read({ userId: staff, kind: "role_taken", from: at(2), to: at(3) }), [taken], "together")
      const all = yield* read({ from: at(1), to: at(4) })
      Check.isTrue(
        [own, taken, given].every((one) => all.some((event) => event.at === one.at)),
        "everybody's"
      )
    })
  },
  {
    name: "list: pages meet, also among events of one millisecond",
    run: Effect.gen(function* () {
      const userId = yield* someId
      for (let index = 0; index < 7; index++) yield* appended(yield* ofNow(userId, RESET))
      const log = yield* AuditLog
      const whole = yield* listed({ userId })
      Check.equal(whole.length, 7, "all")
      const ids: Array<string> = []
      let page = yield* log.list({ userId }, 3, undefined)
      for (;;) {
        ids.push(...page.items.map(({ id }) => id))
        if (page.next === undefined) break
        page = yield* log.list({ userId }, 3, page.next)
      }
      Check.equal(
        ids,
        whole.map(({ id }) => id),
        "the pages together"
      )
    })
  },
  {
    name: "an event about nobody is read as such",
    run: Effect.gen(function* () {
      const now = yield* Timestamp.now
      const failed: AuditEvent.AuditDetail = { kind: "sign_in_failed", network: yield* Entropy.id("at") }
      const event = yield* appended({ at: now, userId: null, actor: AuditEvent.STRANGER, detail: failed })
      const found = plain(yield* listed({ kind: "sign_in_failed", from: now }))
      Check.isTrue(
        found.some((one) => JSON.stringify(one.detail) === JSON.stringify(event.detail) && one.userId === null),
        "found"
      )
    })
  },
  {
    name: "RetentionStore.remove: each event after its own time, and not before",
    run: Effect.gen(function* () {
      const [userId, store] = [yield* someId, yield* RetentionStore]
      const signedIn = yield* appended(yield* ofNow(userId, { kind: "sign_in", browser: null, network: null }))
      const changed = yield* appended(yield* ofNow(userId, { kind: "password_changed", how: "password" }))
      const left = (until: number) =>
        Effect.zipRight(
          store.remove("audit_events", Timestamp.make(until), 1_000),
          Effect.map(listed({ userId }), (events) => events.map(({ detail }) => detail.kind).sort())
        )
      const both = ["password_changed", "sign_in"]
      Check.equal(yield* left(AuditEvent.keptUntil(signedIn) - 1), both, "a millisecond early")
      Check.equal(yield* left(AuditEvent.keptUntil(signedIn)), ["password_changed"], "attempts go first")
      Check.equal(yield* left(AuditEvent.keptUntil(changed) - 1), ["password_changed"], "a millisecond early again")
      Check.equal(yield* left(AuditEvent.keptUntil(changed)), [], "then the rest")
    })
  },
  {
    name: "a deleted account: events about it are gone, and what it did to others names nobody",
    run: Effect.gen(function* () {
      const [staff, other] = [yield* Fixtures.user, yield* someId]
      yield* appended(yield* ofNow(staff.id, RESET))
      const first = yield* appended(yield* ofNow(other, RESET, AuditEvent.actorOf(staff.id, other)))
      const at = Timestamp.plus(first.at, 1)
      const second = yield* appended({ ...first, at, actor: { _tag: "Teammate", id: staff.id } })
      const deletions = yield* AccountDeletionStore
      yield* deletions.begin(staff.id, AccountDeletion.decide)
      const later = Timestamp.plus(yield* Timestamp.now, Timestamp.HOUR)
      while ((yield* deletions.removeSome(staff.id, later, 1_000)) > 0) continue
      Check.equal(yield* listed({ userId: staff.id }), [], "about the deleted account, or by it")
      const { id } = AccountDeletion.NOBODY
      const nameless: ReadonlyArray<AuditEvent.AuditEvent> = [
        { ...second, actor: { _tag: "Teammate", id } },
        { ...first, actor: { _tag: "Staff", id } }
      ]
      Check.equal(plain(yield* listed({ userId: other })), nameless, "what it did stays")
    })
  }
]
