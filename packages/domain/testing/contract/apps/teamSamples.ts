import { Effect, Either, Option } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import type { App } from "../../../src/apps/App.js"
import * as AccountDeletion from "../../../src/deletions/AccountDeletion.js"
import { AccountDeletionStore } from "../../../src/deletions/AccountDeletionStore.js"
import { MailOutbox } from "../../../src/mail/MailOutbox.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { InvitationId, MemberId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { RetentionStore } from "../../../src/sweeps/RetentionStore.js"
import type { TeamRole } from "../../../src/teams/Role.js"
import type * as Team from "../../../src/teams/Team.js"
import * as TeamLife from "../../../src/teams/TeamLife.js"
import * as TeamNotice from "../../../src/teams/TeamNotice.js"
import { TeamStore } from "../../../src/teams/TeamStore.js"
import * as Check from "../../Check.js"
import * as Fixtures from "../../fixtures.js"
import type { TeamRightsPorts } from "./teamRights.js"

export type TeamStorePorts = TeamRightsPorts | AccountDeletionStore | MailOutbox | RetentionStore

/** An app and its holder. */
export const owned = Effect.gen(function* () {
  const holder = yield* Fixtures.user
  return { holder, app: yield* Fixtures.app(holder.id) }
})

export const find = (app: Pick<App, "id">) =>
  Effect.map(
    Effect.flatMap(TeamStore, (store) => store.find(app.id)),
    Option.getOrElse(() => Check.fail("the team"))
  )

/** Makes a change of the team. Fails when the store or `step` refuses the change. */
export const done = (
  app: Pick<App, "id">,
  step: (team: Team.Team, now: Timestamp.Timestamp, taker: TeamLife.Taker) => TeamLife.TeamOutcome,
  taker?: MemberId
) =>
  Effect.gen(function* () {
    const outcome = yield* (yield* TeamStore).update(app.id, step, taker)
    return Check.isTrue(Option.exists(outcome, Either.isRight), "changed")
  })

/** Makes an open invitation. Its mail waits in the outbox. */
export const invited = (app: Pick<App, "id">, by: Account, invitee: Account, role: TeamRole) =>
  Effect.gen(function* () {
    const id = InvitationId.make(yield* Entropy.id("inv"))
    yield* done(app, TeamLife.invite(by, { id, email: invitee.email, role, invitee }))
    return id
  })

/** Adds a new account to the team: an invitation, whose mail is sent, and its acceptance. */
export const joined = (app: Pick<App, "id">, by: Account, role: TeamRole) =>
  Effect.gen(function* () {
    const member = yield* Fixtures.user
    const memberId = MemberId.make(yield* Entropy.id("mbr"))
    const invitation = yield* invited(app, by, member, role)
    yield* finished(member, invitation, "Sent")
    yield* done(app, TeamLife.accept(member, invitation, memberId))
    return { member, memberId }
  })

/** Sends the mail of an invitation, or gives it up. */
export const finished = ({ id }: Account, invitation: InvitationId, how: "Sent" | "GivenUp") =>
  Effect.gen(function* () {
    const [outbox, at] = [yield* MailOutbox, yield* Timestamp.now]
    const attempt = { attempt: 1, message: { to: id, dedupeKey: TeamNotice.invitationKey(invitation) } }
    Check.isTrue(yield* outbox.begin(attempt, at), "begun")
    const finish = how === "Sent" ? { _tag: how, at } : { _tag: how, at, reason: "no such mailbox" }
    Check.isTrue(yield* outbox.finish(attempt, finish), "finished")
  })

/** The kinds of the mails to the account that the outbox has. */
export const mailsTo = ({ id }: Account) =>
  Effect.map(
    Effect.flatMap(MailOutbox, (outbox) => outbox.recent(1_000)),
    (kept) => kept.filter(({ message }) => message.to === id).map(({ message }) => message.dedupeKey.split(" ")[0])
  )

/** Deletes the account. */
export const begin = ({ id }: Account) =>
  Effect.gen(function* () {
    const begun = yield* (yield* AccountDeletionStore).begin(id, AccountDeletion.decide)
    Check.isTrue(Option.exists(begun, Either.isRight), "deleted")
  })
