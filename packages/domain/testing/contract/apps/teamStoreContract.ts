import { Effect, Either, Option, TestClock } from "effect"
import type { App } from "../../../src/apps/App.js"
import { AppStore } from "../../../src/apps/AppStore.js"
import { OPERATOR } from "../../../src/audit/AuditEvent.js"
import { AuditLog } from "../../../src/audit/AuditLog.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import * as AccountLimits from "../../../src/quotas/AccountLimits.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { AppId, MemberId, UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import * as AccountChange from "../../../src/staff/AccountChange.js"
import { StaffStore } from "../../../src/staff/StaffStore.js"
import { RetentionStore } from "../../../src/sweeps/RetentionStore.js"
import * as Retention from "../../../src/sweeps/Retention.js"
import * as Team from "../../../src/teams/Team.js"
import * as TeamLife from "../../../src/teams/TeamLife.js"
import { TeamStore } from "../../../src/teams/TeamStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { invitationMails } from "./invitationMails.js"
import { begin, done, find, invited, joined, mailsTo, owned, type TeamStorePorts } from "./teamSamples.js"
import { teamRights } from "./teamRights.js"

/**
 * What every `TeamStore` must guarantee, and what other stores must guarantee about teams. Each case makes its own app.
 */
export const teamStoreContract: Contract<TeamStorePorts> = [
  ...teamRights,
  ...invitationMails,
  {
    name: "find: a new app has its holder alone; None for an unknown app",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const team = { appId: app.id, appName: app.name, holderId: holder.id, isClosed: false }
      Check.equal(yield* find(app), { ...team, members: [], invitations: [] }, "the team")
      const nowhere = AppId.make("app_nowhere")
      Check.equal(yield* (yield* TeamStore).find(nowhere), Option.none(), "unknown")
      const updated = yield* (yield* TeamStore).update(nowhere, () => Check.fail("asked"))
      Check.equal(updated, Option.none(), "update of an unknown app")
    })
  },
  {
    name: "update: an invitation, its acceptance and a role are stored, with event and mail [teams-2]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member, memberId } = yield* joined(app, holder, "viewer")
      const now = yield* Timestamp.now
      Check.equal(
        (yield* find(app)).members,
        [{ id: memberId, userId: member.id, role: "viewer", since: now }],
        "members"
      )
      Check.equal((yield* find(app)).invitations, [], "the invitation was used")
      yield* done(app, TeamLife.changeRole(holder.id, memberId, "developer"))
      Check.equal(yield* (yield* AppStore).members(app.id), (yield* find(app)).members, "AppStore.members")
      Check.equal((yield* find(app)).members[0]?.role, "developer", "the new role")
      Check.equal((yield* mailsTo(member)).toSorted(), ["team_invited", "team_role"], "mails to the member")
      Check.equal(yield* mailsTo(holder), ["team_joined"], "a mail to who invited")
      const { items } = yield* (yield* AuditLog).list({ userId: member.id }, 10, undefined)
      Check.equal(
        items.map(({ actor, detail }) => [actor, detail.kind]).toSorted(),
        [
          [{ _tag: "Owner" }, "team_joined"],
          [{ _tag: "Teammate", id: holder.id }, "team_role_changed"]
        ].toSorted(),
        "the audit log"
      )
    })
  },
  {
    name: "update: a refusal changes nothing, and no change writes no mail",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member, memberId } = yield* joined(app, holder, "viewer")
      const before = yield* find(app)
      const mails = yield* mailsTo(member)
      const store = yield* TeamStore
      const refused = yield* store.update(app.id, TeamLife.remove(member.id, MemberId.make("mbr_x")))
      Check.isTrue(Option.exists(refused, Either.isLeft), "refused")
      const same = yield* store.update(app.id, TeamLife.changeRole(holder.id, memberId, "viewer"))
      Check.equal(same, Option.some(Either.right(null)), "as wanted already")
      Check.equal(yield* find(app), before, "the team")
      Check.equal(yield* mailsTo(member), mails, "mails")
    })
  },
  {
    name: "update: nobody joins whose account was deleted meanwhile [deletions-2]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const invitee = yield* Fixtures.user
      const invitation = yield* invited(app, holder, invitee, "viewer")
      const memberId = MemberId.make(yield* Entropy.id("mbr"))
      const join = TeamLife.accept({ ...invitee, id: UserId.make("usr_gone") }, invitation, memberId)
      Check.equal(yield* (yield* TeamStore).update(app.id, join), Option.none(), "refused")
      const { invitations, members } = yield* find(app)
      Check.equal([members.length, invitations.length], [0, 1], "nothing is stored")
    })
  },
  {
    name: "update: of two owners who take each other's role at the same time, one stays an owner [teams-2]",
    run: Effect.gen(function* () {
      const store = yield* TeamStore
      for (let round = 0; round < 4; round++) {
        const { app, holder } = yield* owned
        const [one, two] = [yield* joined(app, holder, "owner"), yield* joined(app, holder, "owner")]
        const outcomes = yield* Effect.all(
          [
            store.update(app.id, TeamLife.changeRole(one.member.id, two.memberId, "viewer")),
            store.update(app.id, TeamLife.changeRole(two.member.id, one.memberId, "viewer"))
          ],
          { concurrency: "unbounded" }
        )
        const changed = outcomes.filter((outcome) => Option.exists(outcome, Either.isRight))
        const roles = (yield* find(app)).members.map(({ role }) => role).toSorted()
        Check.equal([changed.length, roles], [1, ["owner", "viewer"]], "one change")
      }
    })
  },
  {
    name: "AppStore.listOf: the apps that an account holds and those of whose teams it is, until it leaves",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member } = yield* joined(app, holder, "viewer")
      const apps = Effect.map(
        Effect.flatMap(AppStore, (store) => store.listOf(member.id, 10, undefined)),
        ({ items }) => items.map(({ id }) => id)
      )
      const own = yield* Fixtures.app(member.id)
      Check.equal((yield* apps).toSorted(), [app.id, own.id].toSorted(), "both")
      yield* done(app, TeamLife.leave(member.id))
      Check.equal(yield* apps, [own.id], "left")
    })
  },
  {
    name: "listInvited: open invitations of this address alone, newest first; not those of a revoked app [teams-2]",
    run: Effect.gen(function* () {
      const store = yield* TeamStore
      const { app, holder } = yield* owned
      const person = yield* Fixtures.user
      const other = yield* Fixtures.user
      const id = yield* invited(app, holder, person, "developer")
      yield* invited(app, holder, other, "viewer")
      const now = yield* Timestamp.now
      const listed = (at: Timestamp.Timestamp) =>
        Effect.map(store.listInvited(person.email, at), (items) => items.map(({ invitation }) => invitation.id))
      Check.equal(yield* listed(now), [id], "of this address")
      Check.equal((yield* store.listInvited(person.email, now))[0]?.appName, app.name, "with the app's name")
      yield* TestClock.adjust("1 second")
      const another = yield* owned
      const second = yield* invited(another.app, another.holder, person, "viewer")
      const ofApp = (appId: AppId) =>
        Effect.map(store.listInvited(person.email, now, appId), (items) => items.map(({ invitation }) => invitation.id))
      Check.equal([yield* ofApp(app.id), yield* ofApp(another.app.id)], [[id], [second]], "of one app")
      Check.equal(yield* listed(now), [second, id], "newest first")
      yield* done(another.app, TeamLife.decline(person, second))
      const end = Timestamp.plus(now, Team.INVITATION_LIFETIME)
      Check.equal(yield* listed(Timestamp.plus(end, -1)), [id], "a millisecond before its end")
      Check.equal(yield* listed(end), [], "at its end")
      yield* (yield* AppStore).update(app.id, (before, revokedAt) => ({
        outcome: 0,
        after: { ...before, app: { ...before.app, revokedAt } }
      }))
      Check.equal(yield* listed(now), [], "of a revoked app")
      Check.isTrue((yield* find(app)).isClosed, "the team is closed")
    })
  },
  {
    name: "handing over: the owner takes the app, the holder stays; the taker's apps are counted [teams-3]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member, memberId } = yield* joined(app, holder, "owner")
      yield* Fixtures.app(member.id)
      const stays = MemberId.make(yield* Entropy.id("mbr"))
      let counted = -1
      yield* done(
        app,
        (team, now, taker) => {
          counted = taker.held
          return TeamLife.handOver(holder.id, memberId, stays)(team, now, taker)
        },
        memberId
      )
      Check.equal(counted, 1, "the taker's apps")
      const team = yield* find(app)
      Check.equal(
        [team.holderId, team.members.map(({ id, userId }) => [id, userId])],
        [member.id, [[stays, holder.id]]],
        "swapped"
      )
      const stored = Option.getOrElse(yield* (yield* AppStore).find(app.id), () => Check.fail("the app"))
      Check.equal(stored.ownerId, member.id, "the app's owner")
    })
  },
  {
    name: "handing over: an owner whose account is suspended does not take the app; later it may [teams-3, staff-1]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member, memberId } = yield* joined(app, holder, "owner")
      const stays = MemberId.make(yield* Entropy.id("mbr"))
      const handOver = Effect.gen(function* () {
        const handed = yield* (yield* TeamStore).update(app.id, TeamLife.handOver(holder.id, memberId, stays), memberId)
        return Option.exists(handed, Either.isRight)
      })
      const staff = yield* StaffStore
      yield* staff.change(member.id, AccountChange.suspend(OPERATOR))
      Check.isTrue(!(yield* handOver), "refused")
      Check.equal((yield* find(app)).holderId, holder.id, "the holder stays")
      yield* staff.change(member.id, AccountChange.resume(OPERATOR))
      Check.isTrue(yield* handOver, "handed over after the suspension")
    })
  },
  {
    name: "RetentionStore.remove: ended invitations go, open ones stay [teams-2]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      yield* invited(app, holder, yield* Fixtures.user, "viewer")
      const now = yield* Timestamp.now
      const sweep = (at: Timestamp.Timestamp) =>
        Effect.flatMap(RetentionStore, (store) =>
          store.remove("app_invitations", Retention.until("app_invitations", at), 1_000)
        )
      const end = Timestamp.plus(now, Team.INVITATION_LIFETIME)
      yield* sweep(Timestamp.plus(end, -1))
      Check.equal((yield* find(app)).invitations.length, 1, "open")
      Check.isTrue((yield* sweep(end)) >= 1, "removed")
      Check.equal((yield* find(app)).invitations, [], "gone")
    })
  },
  {
    name: "AccountDeletionStore: a member leaves all teams, and its invitations go [teams-4]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member } = yield* joined(app, holder, "owner")
      const person = yield* Fixtures.user
      yield* invited(app, member, person, "viewer")
      yield* begin(member)
      const after = yield* find(app)
      Check.equal([after.holderId, after.members, after.invitations], [holder.id, [], []], "the holder alone")
      yield* invited(app, holder, person, "viewer")
      yield* begin(person)
      Check.equal((yield* find(app)).invitations, [], "nor those to a deleted account")
    })
  },
  {
    name: "AccountDeletionStore: another owner inherits the app, and keeps its secrets and users [teams-4]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      yield* joined(app, holder, "developer")
      const { member: first } = yield* joined(app, holder, "owner")
      const alone = yield* Fixtures.app(holder.id)
      const viewed = yield* joined(alone, holder, "viewer")
      const described = Option.getOrElse(yield* (yield* AccountDeletionStore).describe(holder.id), () =>
        Check.fail("described")
      )
      const heirs = new Map(described.apps.map(({ app, heir }) => [app.id, heir]))
      Check.equal([heirs.get(app.id), heirs.get(alone.id)], [first.id, null], "described")
      yield* begin(holder)
      const stored = (one: App) =>
        Effect.map(
          Effect.flatMap(AppStore, (store) => store.find(one.id)),
          Option.getOrElse(() => Check.fail("the app"))
        )
      const kept = yield* stored(app)
      Check.equal([kept.ownerId, kept.revokedAt, kept.redirectUris], [first.id, null, app.redirectUris], "inherited")
      Check.equal(
        (yield* find(app)).members.map(({ role }) => role),
        ["developer"],
        "the others stay"
      )
      const gone = yield* stored(alone)
      Check.equal(
        [gone.ownerId, gone.revokedAt !== null],
        [AccountDeletion.NOBODY.id, true],
        "revoked without an owner"
      )
      Check.equal((yield* find(alone)).members, [], "its team is closed")
      const { items } = yield* (yield* AppStore).listOf(viewed.member.id, 10, undefined)
      Check.equal(items, [], "and its viewer has no app")
    })
  },
  {
    name: "AccountDeletionStore: the owner who inherits the app gets a mail, and the audit log has it [teams-5]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member: heir } = yield* joined(app, holder, "owner")
      const { member: other } = yield* joined(app, holder, "developer")
      const { member: viewer } = yield* joined(yield* Fixtures.app(holder.id), holder, "viewer")
      yield* begin(holder)
      Check.equal((yield* mailsTo(heir)).toSorted(), ["team_handed_over", "team_invited"], "mails to the heir")
      for (const one of [other, viewer]) Check.equal(yield* mailsTo(one), ["team_invited"], "no mail to the others")
      const { items } = yield* (yield* AuditLog).list({ kind: "team_handed_over", userId: heir.id }, 10, undefined)
      Check.equal(
        items.map(({ actor, detail, userId }) => ({ actor, detail, userId })),
        [
          {
            actor: { _tag: "Teammate", id: AccountDeletion.NOBODY.id },
            detail: { kind: "team_handed_over", appId: app.id, role: "owner" },
            userId: heir.id
          }
        ],
        "the audit log"
      )
    })
  },
  {
    name: "update: the 20th person joins and the 21st does not; 20 invitations are open at most [limits-9]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const last = yield* Fixtures.user
      const waiting = yield* invited(app, holder, last, "viewer")
      for (let people = 1; people < AccountLimits.MEMBERS.most; people++) yield* joined(app, holder, "viewer")
      const store = yield* TeamStore
      const memberId = MemberId.make(yield* Entropy.id("mbr"))
      const refused = yield* store.update(app.id, TeamLife.accept(last, waiting, memberId))
      Check.isTrue(Option.exists(refused, Either.isLeft), "one too many")
      Check.equal((yield* find(app)).members.length, AccountLimits.MEMBERS.most - 1, "members beside the holder")
    })
  }
]
