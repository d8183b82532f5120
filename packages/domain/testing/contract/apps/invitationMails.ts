import { Effect } from "effect"
import type { Account } from "../../../src/accounts/Account.js"
import * as Entropy from "../../../src/shared/Entropy.js"
import { MemberId } from "../../../src/shared/Ids.js"
import * as TeamLife from "../../../src/teams/TeamLife.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Fixtures from "../../fixtures.js"
import { begin, done, find, finished, invited, joined, mailsTo, owned, type TeamStorePorts } from "./teamSamples.js"

/** What the stores of teams and deletions must guarantee: what happens to the mail of an invitation that ends. */
export const invitationMails: Contract<TeamStorePorts> = [
  {
    name: "the waiting mails of invitations that end by a withdrawal, an answer or a deletion are gone [teams-2]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const [invitee, other] = [yield* Fixtures.user, yield* Fixtures.user]
      const { member: owner } = yield* joined(app, holder, "owner")
      const { member: leaver } = yield* joined(app, holder, "owner")
      yield* invited(app, leaver, invitee, "viewer")
      yield* invited(app, owner, other, "viewer")
      yield* begin(leaver)
      Check.equal(yield* mailsTo(invitee), [], "the invitation of the deleted account")
      yield* done(app, TeamLife.withdraw(owner.id, yield* invited(app, owner, invitee, "viewer")))
      Check.equal(yield* mailsTo(invitee), [], "a withdrawn invitation")
      yield* done(app, TeamLife.decline(invitee, yield* invited(app, owner, invitee, "viewer")))
      Check.equal(yield* mailsTo(invitee), [], "a declined invitation")
      Check.equal(yield* mailsTo(other), ["team_invited"], "the invitation of another owner")
      const alone = yield* owned
      yield* invited(alone.app, alone.holder, invitee, "viewer")
      yield* begin(alone.holder)
      Check.equal(yield* mailsTo(invitee), [], "the invitation into an app that is revoked")
    })
  },
  {
    name: "a mail that was sent or given up stays when its invitation ends: archives list it [teams-2, exports-6]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member: leaver } = yield* joined(app, holder, "owner")
      const [one, two, three, four] = [
        yield* Fixtures.user,
        yield* Fixtures.user,
        yield* Fixtures.user,
        yield* Fixtures.user
      ]
      const ended = (invitee: Account, by: Account, how: "Sent" | "GivenUp") =>
        Effect.tap(invited(app, by, invitee, "viewer"), (id) => finished(invitee, id, how))
      yield* done(app, TeamLife.withdraw(holder.id, yield* ended(one, holder, "Sent")))
      yield* done(app, TeamLife.decline(two, yield* ended(two, holder, "GivenUp")))
      const memberId = MemberId.make(yield* Entropy.id("mbr"))
      yield* done(app, TeamLife.accept(three, yield* ended(three, holder, "Sent"), memberId))
      yield* ended(four, leaver, "Sent")
      yield* begin(leaver)
      Check.equal((yield* find(app)).invitations, [], "no invitation is open")
      for (const invitee of [one, two, three, four]) Check.equal(yield* mailsTo(invitee), ["team_invited"], "its mail")
    })
  },
  {
    name: "update: when an owner goes, the waiting mails of all invitations by this owner are gone [teams-2]",
    run: Effect.gen(function* () {
      const { app, holder } = yield* owned
      const { member, memberId } = yield* joined(app, holder, "owner")
      const people = yield* Effect.all(Array.from({ length: 8 }, () => Fixtures.user))
      yield* Effect.forEach(people, (one) => invited(app, member, one, "viewer"))
      yield* done(app, TeamLife.remove(holder.id, memberId))
      Check.equal((yield* find(app)).invitations, [], "no invitation is open")
      for (const one of people) Check.equal(yield* mailsTo(one), [], "no mail")
    })
  }
]
