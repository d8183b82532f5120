import type { Account } from "@place-access/domain/accounts"
import { AccountLimits } from "@place-access/domain/quotas"
import { type AppId, InvitationId, MemberId, Timestamp, type UserId } from "@place-access/domain/shared"
import { Role, Team, TeamLife } from "@place-access/domain/teams"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"

const START = Timestamp.make(Date.UTC(2026, 10, 23))
const PEOPLE = ["ann", "bob", "cem", "dee", "eve"] as const
type Person = (typeof PEOPLE)[number]

const accountOf = (id: Person) => ({ id, email: `${id}@example.com`, displayName: id }) as unknown as Account.Account

const alone: Team.Team = {
  appId: "app_1" as AppId,
  appName: "Coffee Finder",
  holderId: "ann" as UserId,
  isClosed: false,
  members: [],
  invitations: []
}

/** A team that already has a second owner and a developer, so that random steps soon reach every transition. */
const full: Team.Team = {
  ...alone,
  members: [
    { id: MemberId.make("mbr_bob"), userId: "bob" as UserId, role: "owner", since: START },
    { id: MemberId.make("mbr_cem"), userId: "cem" as UserId, role: "developer", since: START }
  ]
}

/** One step of a random scenario. A number selects one of the members or invitations that exist. */
type Step =
  | { readonly do: "invite"; readonly by: Person; readonly whom: Person; readonly role: Role.TeamRole }
  | { readonly do: "accept" | "decline"; readonly by: Person; readonly nth: number }
  | { readonly do: "withdraw" | "remove" | "hand_over"; readonly by: Person; readonly nth: number }
  | { readonly do: "role"; readonly by: Person; readonly nth: number; readonly role: Role.TeamRole }
  | { readonly do: "leave"; readonly by: Person }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "close"; readonly isClosed: boolean }

const person = fc.constantFrom(...PEOPLE)
const role = fc.constantFrom(...Role.TeamRole.literals)
const nth = fc.nat(4)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("invite" as const), by: person, whom: person, role }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("accept" as const), by: person, nth }) },
  fc.record({ do: fc.constantFrom("decline" as const, "withdraw" as const, "remove" as const), by: person, nth }),
  fc.record({ do: fc.constant("hand_over" as const), by: person, nth }),
  fc.record({ do: fc.constant("role" as const), by: person, nth, role }),
  fc.record({ do: fc.constant("leave" as const), by: person }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, Timestamp.DAY, Team.INVITATION_LIFETIME) }),
  fc.record({ do: fc.constant("close" as const), isClosed: fc.boolean() })
)

const outcomeOf = (one: Step, team: Team.Team, now: Timestamp.Timestamp, count: number): TeamLife.TeamOutcome => {
  const fresh = MemberId.make(`mbr_${count}`)
  switch (one.do) {
    case "invite": {
      const { email, id } = accountOf(one.whom)
      const invitation = { id: InvitationId.make(`inv_${count}`), email, role: one.role, invitee: { id, email } }
      return TeamLife.invite(accountOf(one.by), invitation)(team, now)
    }
    case "accept":
    case "decline": {
      const id = team.invitations[one.nth]?.id ?? InvitationId.make("inv_none")
      return one.do === "accept"
        ? TeamLife.accept(accountOf(one.by), id, fresh)(team, now)
        : TeamLife.decline(accountOf(one.by), id)(team, now)
    }
    case "withdraw":
      return TeamLife.withdraw(one.by as string as UserId, team.invitations[one.nth]?.id ?? InvitationId.make("none"))(
        team,
        now
      )
    case "remove":
      return TeamLife.remove(one.by as string as UserId, team.members[one.nth]?.id ?? MemberId.make("none"))(team, now)
    case "hand_over":
      return TeamLife.handOver(one.by as string as UserId, team.members[one.nth]?.id ?? MemberId.make("none"), fresh)(
        team,
        now,
        TeamLife.NO_TAKER
      )
    case "role":
      return TeamLife.changeRole(
        one.by as string as UserId,
        team.members[one.nth]?.id ?? MemberId.make("none"),
        one.role
      )(team, now)
    case "leave":
      return TeamLife.leave(one.by as string as UserId)(team, now)
    case "wait":
    case "close":
      return Either.right(null)
  }
}

const rolesOf = (team: Team.Team) => new Map(PEOPLE.map((id) => [id, Team.roleOf(team, id as string as UserId)]))

/**
 * Checks what must be true after each step. The rules come from decisions teams-1 to teams-3, and not from the code.
 */
const check = (one: Step, before: Team.Team, change: TeamLife.TeamChange, now: Timestamp.Timestamp): void => {
  const after = change.team
  const [was, is] = [rolesOf(before), rolesOf(after)]
  expect(
    after.members.map(({ userId }) => userId),
    "the holder has no membership"
  ).not.toContain(after.holderId)
  expect(new Set(after.members.map(({ userId }) => userId)).size, "one membership each").toBe(after.members.length)
  expect(after.members.length + 1, "people").toBeLessThanOrEqual(AccountLimits.MEMBERS.most)
  for (const { invitedBy } of after.invitations) {
    expect(is.get(invitedBy as string as Person), "who invited is an owner").toBe("owner")
  }
  if (!("by" in one)) return
  const changed = PEOPLE.filter((id) => was.get(id) !== is.get(id))
  const joins = changed.filter((id) => was.get(id) === undefined)
  for (const id of joins) {
    expect([one.do, one.by], "only the invited person joins").toEqual(["accept", id])
    const found = before.invitations.find(({ email }) => email === accountOf(id).email)
    expect(found?.role, "with the role of the invitation").toBe(is.get(id))
    expect(now - (found?.createdAt ?? 0), "while it is open").toBeLessThan(7 * Timestamp.DAY)
    expect(before.isClosed, "and the team is, too").toBe(false)
  }
  for (const id of changed.filter((who) => !joins.includes(who))) {
    const isOwn = id === one.by && is.get(id) === undefined
    expect(isOwn || was.get(one.by) === "owner", "an owner changes others").toBe(true)
    expect(id, "never the holder").not.toBe(before.holderId)
  }
  if (after.holderId !== before.holderId) {
    expect([one.do, one.by], "the holder hands over").toEqual(["hand_over", before.holderId])
    expect(was.get(after.holderId as string as Person), "to an owner").toBe("owner")
    expect(is.get(before.holderId as string as Person), "and stays one").toBe("owner")
  }
  if (one.do === "invite") expect(was.get(one.by), "an owner invites").toBe("owner")
}

describe("TeamLife", () => {
  it("random lives: owners alone change the team, the holder stays until the app is handed over [teams-3]", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.constantFrom(alone, full), fc.array(step, { minLength: 10, maxLength: 80 }), (begin, steps) => {
        let team = begin
        let now = START
        steps.forEach((one, count) => {
          if (one.do === "wait") now = Timestamp.plus(now, one.ms)
          if (one.do === "close") team = { ...team, isClosed: one.isClosed }
          const outcome = outcomeOf(one, team, now, count)
          if (Either.isLeft(outcome) || outcome.right === null) return
          seen.add(one.do)
          check(one, team, outcome.right, now)
          team = outcome.right.team
        })
      }),
      { seed: 22, numRuns: 500 }
    )
    expect([...seen].sort(), "every transition happened").toEqual([
      "accept",
      "decline",
      "hand_over",
      "invite",
      "leave",
      "remove",
      "role",
      "withdraw"
    ])
  })

  it("an invitation is accepted a millisecond before 7 days are over, and not after 7 days [teams-2]", () => {
    const id = InvitationId.make("inv_1")
    const { email } = accountOf("bob")
    const invited = TeamLife.invite(accountOf("ann"), { id, email, role: "viewer", invitee: null })(alone, START)
    const team = Either.getOrThrow(invited)?.team ?? alone
    const at = (ms: number) =>
      TeamLife.accept(accountOf("bob"), id, MemberId.make("mbr_1"))(team, Timestamp.plus(START, ms))
    expect(Either.isRight(at(7 * Timestamp.DAY - 1))).toBe(true)
    expect(Either.isLeft(at(7 * Timestamp.DAY))).toBe(true)
  })

  it("another address does not open an invitation: the answer is that of one that does not exist [teams-2]", () => {
    const id = InvitationId.make("inv_1")
    const invitation = { id, email: accountOf("bob").email, role: "owner", invitee: null } as const
    const team = Either.getOrThrow(TeamLife.invite(accountOf("ann"), invitation)(alone, START))?.team ?? alone
    const refusal = (who: Person, which: InvitationId) =>
      Either.getLeft(TeamLife.accept(accountOf(who), which, MemberId.make("mbr_1"))(team, START))
    expect(refusal("cem", id)).toEqual(refusal("cem", InvitationId.make("inv_none")))
  })

  it("inviting an address without an account gives the same team as one with an account, and no mail [teams-2]", () => {
    const invitation = { id: InvitationId.make("inv_1"), email: accountOf("bob").email, role: "viewer" } as const
    const invite = (invitee: Pick<Account.Account, "id" | "email"> | null) =>
      Either.getOrThrow(TeamLife.invite(accountOf("ann"), { ...invitation, invitee })(alone, START))
    const [known, unknown] = [invite(accountOf("bob")), invite(null)]
    expect(unknown?.team).toEqual(known?.team)
    expect(unknown?.audit).toEqual(known?.audit)
    expect([known?.mails.length, unknown?.mails.length]).toEqual([1, 0])
  })

  it.each([
    ["owner", ["read", "develop", "secrets", "team"]],
    ["developer", ["read", "develop"]],
    ["viewer", ["read"]]
  ] as const)("as %s one may %s, and nothing else [teams-1]", (role, allowed) => {
    const actions = ["read", "develop", "secrets", "team"] as const
    expect(actions.filter((action) => Role.can(role, action))).toEqual(allowed)
  })

  it("an app passes to the owner of longest standing who is not suspended, else to nobody [teams-4]", () => {
    const member = (id: Person, role: Role.TeamRole): Team.Member => ({
      id: MemberId.make(`mbr_${id}`),
      userId: id as string as UserId,
      role,
      since: START
    })
    const members = [member("bob", "developer"), member("cem", "owner"), member("dee", "owner")]
    const heir = (isClosed: boolean, suspended: ReadonlyArray<string>) =>
      TeamLife.heir({ isClosed, members }, (id) => suspended.includes(id))?.userId
    expect(heir(false, [])).toBe("cem")
    expect(heir(false, ["cem"])).toBe("dee")
    expect(heir(false, ["cem", "dee"])).toBeUndefined()
    expect(heir(true, [])).toBeUndefined()
  })

  it("nobody takes an app over who has as many as an account can have [limits-9]", () => {
    const id = MemberId.make("mbr_1")
    const team = { ...alone, members: [{ id, userId: "bob" as UserId, role: "owner" as const, since: START }] }
    const given = (held: number) =>
      Either.isRight(
        TeamLife.handOver("ann" as UserId, id, MemberId.make("mbr_2"))(team, START, { held, isSuspended: false })
      )
    expect([given(AccountLimits.APPS.most - 1), given(AccountLimits.APPS.most)]).toEqual([true, false])
  })

  it("nobody whose account is suspended takes an app over [teams-3, staff-1]", () => {
    const id = MemberId.make("mbr_1")
    const team = { ...alone, members: [{ id, userId: "bob" as UserId, role: "owner" as const, since: START }] }
    const handOver = TeamLife.handOver("ann" as UserId, id, MemberId.make("mbr_2"))
    const refused = Either.getOrThrow(Either.flip(handOver(team, START, { held: 0, isSuspended: true })))
    expect(refused).toMatchObject({ _tag: "Conflict", reason: TeamLife.SUSPENDED_TAKER })
  })
})
