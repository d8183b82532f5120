import { Effect, Either, Option } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import type { AccountStore } from "../../../src/accounts/AccountStore.js"
import type { App } from "../../../src/apps/App.js"
import { type AdmitsChange, AppStore, type TeamMember } from "../../../src/apps/AppStore.js"
import { OPERATOR, OWNER } from "../../../src/audit/AuditEvent.js"
import type { AuditLog } from "../../../src/audit/AuditLog.js"
import { EndpointStore } from "../../../src/endpoints/EndpointStore.js"
import type { WebhookEndpoint } from "../../../src/endpoints/WebhookEndpoint.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AppId, InvitationId, MemberId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as AccountChange from "../../../src/staff/AccountChange.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import type { TeamRole } from "../../../src/teams/Role.js"
import * as TeamLife from "../../../src/teams/TeamLife.js"
import { TeamStore } from "../../../src/teams/TeamStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { auditOf } from "../auditSamples.js"
import { draftEndpoint } from "../deliveries/webhookFixtures.js"

export type TeamRightsPorts =
  | TeamStore
  | AppStore
  | AccountStore
  | AuditLog
  | EndpointStore
  | StaffStore
  | Entropy.Entropy

/** Adds a member to the app's team. */
const join = (app: App, by: Account, role: TeamRole) =>
  Effect.gen(function* () {
    const [teams, member] = [yield* TeamStore, yield* Fixtures.user]
    const id = InvitationId.make(yield* Entropy.id("inv"))
    const memberId = MemberId.make(yield* Entropy.id("mbr"))
    yield* teams.update(app.id, TeamLife.invite(by, { id, email: member.email, role, invitee: member }))
    yield* teams.update(app.id, TeamLife.accept(member, id, memberId))
    return { userId: member.id, role }
  })

const stage = Effect.gen(function* () {
  const holder = yield* Fixtures.user
  const app = yield* Fixtures.app(holder.id)
  return { holder, app, member: yield* join(app, holder, "developer") }
})

/** The fields of members that decide about their rights. */
const rights = (members: ReadonlyArray<TeamMember>) => members.map(({ role, userId }) => ({ userId, role }))

/** What the stores of apps and endpoints must guarantee: they read the team under the lock of the app. */
export const teamRights: Contract<TeamRightsPorts> = [
  {
    name: "AppStore.update: decide gets the members of the team as they are now, without the holder [teams-1]",
    run: Effect.gen(function* () {
      const [apps, { app, holder, member }] = [yield* AppStore, yield* stage]
      const seen = apps.update(app.id, (_before, _now, members) => ({ outcome: rights(members), after: null }))
      Check.equal(yield* seen, Option.some([member]), "one member")
      const [found] = (yield* (yield* TeamStore).find(app.id)).pipe(
        Option.map((team) => team.members),
        Option.getOrThrow
      )
      yield* (yield* TeamStore).update(app.id, TeamLife.remove(holder.id, found?.id ?? MemberId.make("none")))
      Check.equal(yield* seen, Option.some([]), "the member was removed")
    })
  },
  {
    name: "AppStore.update: decide gets no member whose account is suspended; members returns this member [staff-1]",
    run: Effect.gen(function* () {
      const [apps, staff, { app, holder, member }] = [yield* AppStore, yield* StaffStore, yield* stage]
      const other = yield* join(app, holder, "owner")
      const seen = apps.update(app.id, (_before, _now, members) => ({ outcome: rights(members), after: null }))
      yield* staff.change(member.userId, AccountChange.suspend(OPERATOR))
      Check.equal(yield* seen, Option.some([other]), "the suspended member is left out")
      Check.equal(rights(yield* apps.members(app.id)).length, 2, "and is in the team still")
      yield* staff.change(member.userId, AccountChange.resume(OPERATOR))
      Check.equal(
        Option.map(yield* seen, ({ length }) => length),
        Option.some(2),
        "the suspension has ended"
      )
    })
  },
  {
    name: "TeamStore.update: decide gets the suspended accounts of the team, the holder's too [staff-1]",
    run: Effect.gen(function* () {
      const [teams, staff, { app, holder, member }] = [yield* TeamStore, yield* StaffStore, yield* stage]
      yield* join(app, holder, "owner")
      const seen: Array<ReadonlyArray<unknown>> = []
      const look = teams.update(app.id, (_team, _now, _taker, suspended) => {
        seen.push(suspended.toSorted())
        return Either.right(null)
      })
      yield* look
      yield* staff.change(member.userId, AccountChange.suspend(OPERATOR))
      yield* look
      yield* staff.change(holder.id, AccountChange.suspend(OPERATOR))
      yield* look
      Check.equal(
        seen,
        [[], [member.userId], [holder.id, member.userId].toSorted()],
        "nobody, a member, the holder too"
      )
    })
  },
  {
    name: "EndpointStore: admits gets no suspended member, and since when the app is on hold [staff-1]",
    run: Effect.gen(function* () {
      const [endpoints, staff, { app, holder, member }] = [yield* EndpointStore, yield* StaffStore, yield* stage]
      const other = yield* join(app, holder, "owner")
      const [stored, draft] = [yield* draftEndpoint(app.id), yield* draftEndpoint(app.id)]
      yield* endpoints.create(stored)
      const seen: Array<unknown> = []
      const admits: AdmitsChange = ({ suspendedAt }, members) => {
        seen.push([suspendedAt, rights(members)])
        return false
      }
      yield* staff.change(member.userId, AccountChange.suspend(OPERATOR))
      yield* endpoints.create(draft, undefined, admits)
      yield* staff.change(holder.id, AccountChange.suspend(OPERATOR))
      yield* endpoints.update(
        app.id,
        stored.id,
        (before) => before,
        () => undefined,
        admits
      )
      const at = yield* Timestamp.now
      Check.equal(
        seen,
        [
          [null, [other]],
          [at, [other]]
        ],
        "a suspended member, and a suspended holder"
      )
    })
  },
  {
    name: "AppStore.create: nothing is stored for an owner whose account is suspended [staff-1]",
    run: Effect.gen(function* () {
      const [apps, { app, holder }] = [yield* AppStore, yield* stage]
      yield* (yield* StaffStore).change(holder.id, AccountChange.suspend(OPERATOR))
      const draft: App = { ...app, id: AppId.make(yield* Entropy.id("app")) }
      Check.equal(yield* apps.create(draft), "NoOwner", "refused")
      Check.equal(yield* apps.find(draft.id), Option.none(), "nothing is stored")
    })
  },
  {
    name: "EndpointStore.create: admits gets the app and its members; a refusal stores nothing [teams-1, apps-2]",
    run: Effect.gen(function* () {
      const [endpoints, { app, holder, member }] = [yield* EndpointStore, yield* stage]
      const draft = yield* draftEndpoint(app.id)
      const detail = { kind: "endpoint_added", appId: app.id, endpointId: draft.id } as const
      const added = { at: draft.createdAt, userId: holder.id, actor: OWNER, detail }
      let seen: unknown
      const refused = yield* endpoints.create(draft, added, ({ ownerId, revokedAt }, members) => {
        seen = [ownerId, revokedAt, rights(members)]
        return false
      })
      Check.equal([refused, seen], ["refused", [holder.id, null, [member]]], "refused")
      Check.equal(yield* endpoints.list(app.id), [], "nothing is stored")
      const kinds = (yield* auditOf(holder.id)).map((event) => event.detail.kind)
      Check.isTrue(!kinds.includes("endpoint_added"), "and no audit event")
      const revokedAt = yield* Timestamp.now
      yield* (yield* AppStore).update(app.id, (before) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, revokedAt } }
      }))
      const admits = (found: Pick<App, "revokedAt">) => found.revokedAt === revokedAt
      Check.equal(yield* endpoints.create(draft, undefined, admits), "created", "admitted")
    })
  },
  {
    name: "EndpointStore.update: admits gets the app and its members; a refusal changes nothing [teams-1, apps-2]",
    run: Effect.gen(function* () {
      const [endpoints, { app, holder, member }] = [yield* EndpointStore, yield* stage]
      const draft = yield* draftEndpoint(app.id)
      yield* endpoints.create(draft)
      const change = (before: WebhookEndpoint) => ({ ...before, strikes: 3 })
      let seen: unknown
      const refused = yield* endpoints.update(
        app.id,
        draft.id,
        () => Check.fail("the change was asked"),
        () => Check.fail("the audit event was asked"),
        ({ ownerId, revokedAt }, members) => {
          seen = [ownerId, revokedAt, rights(members)]
          return false
        }
      )
      Check.equal([refused, seen], [Option.none(), [holder.id, null, [member]]], "refused")
      Check.equal(yield* endpoints.find(app.id, draft.id), Option.some(draft), "unchanged")
      const admitted = endpoints.update(
        app.id,
        draft.id,
        change,
        () => undefined,
        () => true
      )
      Check.equal(yield* admitted, Option.some({ ...draft, strikes: 3 }), "admitted")
    })
  }
]
