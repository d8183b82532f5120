import { Account } from "@place-access/domain/accounts"
import { App, decideApp, getApp, registerRedirectUris, submitApp } from "@place-access/domain/apps"
import { AuditEvent } from "@place-access/domain/audit"
import { warnOfStrikes } from "@place-access/domain/deliveries"
import { Rate } from "@place-access/domain/limits"
import { Mail, MailOutbox, NamedMail } from "@place-access/domain/mail"
import { InvitationId, Timestamp } from "@place-access/domain/shared"
import { AccountChange, StaffStore } from "@place-access/domain/staff"
import {
  acceptInvitation,
  changeMemberRole,
  getInvitation,
  handOver,
  inviteMember,
  listInvitations,
  type Role,
  readTeam,
  removeMember,
  TeamNotice
} from "@place-access/domain/teams"
import {
  Fixtures,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryDeliveryStore,
  MemoryEndpointStore,
  MemoryEntropy,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryStaffStore,
  MemoryTeamStore,
  MemoryVault,
  WebhookFixtures
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryAuditLog.layer,
  MemoryDeliveryStore.layer,
  MemoryEndpointStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryStaffStore.layer,
  MemoryTeamStore.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.mergeAll(MemoryEntropy.layer, MemoryVault.layer))
)

const owned = () =>
  Effect.gen(function* () {
    const holder = yield* Fixtures.user
    return { holder, app: yield* Fixtures.app(holder.id) }
  })

/** An app that waits for a reviewer, and the holder of the app. */
const submitted = Effect.gen(function* () {
  const { app, holder } = yield* owned()
  return { holder, app: yield* submitApp(holder, app.id, "assumed", "unchecked") }
})

const join = (
  holder: Account.Account,
  appId: Parameters<typeof inviteMember>[1],
  role: Role.TeamRole,
  account?: Account.Account
) =>
  Effect.gen(function* () {
    const member = account ?? (yield* Fixtures.user)
    const { id } = yield* inviteMember(holder, appId, { email: member.email, role })
    yield* acceptInvitation(member, "confirmed", { appId, id })
    return member
  })

const mails = Effect.map(
  Effect.flatMap(MailOutbox, (outbox) => outbox.recent(1_000)),
  (kept) => kept.map(({ message }) => message)
)

/**
 * The state of a reader's mail limit after the reader has got the last mail with an app's name that the limit allows,
 * and then the one message without a name that stands for further mails.
 */
const folding = (now: Timestamp.Timestamp): NamedMail.NamedMailCount => ({
  ...NamedMail.none,
  namedAt: Array<Timestamp.Timestamp>(NamedMail.LIMIT).fill(now),
  foldedAt: now
})

const refused = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => error._tag)

describe("teams", () => {
  it.effect("an invitation is mailed to a confirmed account alone, with the link of its page [teams-2]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* owned()
      const confirmed = yield* Fixtures.user
      const unconfirmed = yield* Fixtures.userWith({ confirmedAt: null })
      const suspended = yield* Fixtures.userWith({ suspendedAt: yield* Timestamp.now })
      for (const { email } of [confirmed, unconfirmed, suspended]) {
        yield* inviteMember(holder, app.id, { email, role: "viewer" })
      }
      const sent = yield* mails
      expect(sent.map(({ to }) => to)).toEqual([confirmed.id])
      expect(sent[0]?.link?.path).toMatch(new RegExp(`^/developer/invitations/${app.id}/inv_`))
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "the mail of an invitation has no text that a stranger chose, not even the inviter's address [teams-7]",
    () =>
      Effect.gen(function* () {
        const lure = "Keep your account: https://evil.example"
        const holder = yield* Fixtures.userWith({ displayName: Account.DisplayName.make(lure) })
        const app = yield* Fixtures.app(holder.id, { name: App.AppName.make(lure) })
        const person = yield* Fixtures.user
        const { id } = yield* inviteMember(holder, app.id, { email: person.email, role: "viewer" })
        const [sent] = yield* mails
        if (sent === undefined) throw new Error("no mail")
        for (const language of ["en", "de"] as const) {
          const { body, link, subject } = Mail.forReader(sent, language, null)
          expect([subject, body, link?.label].join("\n")).not.toMatch(/evil|https/)
          expect(body).not.toContain(holder.email)
        }
        const page = yield* getInvitation(person, "confirmed", { appId: app.id, id })
        expect(page).toMatchObject({ appName: lure, by: { displayName: lure, email: holder.email } })
      }).pipe(Effect.provide(stores))
  )

  it.effect("who has not confirmed an address causes no mail that names it [teams-7]", () =>
    Effect.gen(function* () {
      const holder = yield* Fixtures.userWith({ confirmedAt: null })
      const app = yield* Fixtures.app(holder.id)
      const person = yield* Fixtures.user
      yield* inviteMember(holder, app.id, { email: person.email, role: "viewer" })
      expect(yield* mails).toEqual([])
      expect((yield* listInvitations(person, "confirmed")).length).toBe(1)
    }).pipe(Effect.provide(stores))
  )

  it.effect("one address gets two invitation mails an hour, from all teams; each invitation is made [teams-2]", () =>
    Effect.gen(function* () {
      const person = yield* Fixtures.user
      const invite = (email: Account.Email) =>
        Effect.flatMap(owned(), ({ app, holder }) => inviteMember(holder, app.id, { email, role: "viewer" }))
      // An invitation to an address without an account also counts towards the limit of invitation mails. Otherwise the
      // service would do less work for it, and its time of answer would show who has an account.
      yield* Effect.replicateEffect(invite(Account.Email.make("nobody@example.com")), 3)
      yield* Effect.replicateEffect(invite(person.email), 4)
      expect((yield* mails).map(({ to }) => to)).toEqual([person.id, person.id])
      expect((yield* listInvitations(person, "confirmed")).length).toBe(4)
      // Fewer than `NOTICES` of these mails name an app, so there is room for a notice that the person chose.
      expect(Rate.INVITATION_MAILS.calls).toBeLessThan(NamedMail.NOTICES)
      yield* TestClock.adjust(Timestamp.HOUR - 1)
      yield* invite(person.email)
      expect((yield* mails).length).toBe(2)
      yield* TestClock.adjust(1)
      yield* invite(person.email)
      expect((yield* mails).length).toBe(3)
    }).pipe(Effect.provide(stores))
  )

  it.effect("attack: a holder who causes other mails first cannot keep the mail about a hand-over away [teams-5]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* owned()
      const member = yield* join(holder, app.id, "owner")
      const id = (yield* readTeam(holder, app.id)).members.find(({ isReader }) => !isReader)?.id
      if (id === undefined || id === null) throw new Error("no member")
      for (const role of ["viewer", "owner", "viewer", "owner", "viewer", "owner"] as const) {
        yield* TestClock.adjust(1_000)
        yield* changeMemberRole(holder, app.id, id, role)
      }
      yield* handOver(holder, app.id, id)
      const sent = (yield* mails).find(({ dedupeKey, to }) => to === member.id && dedupeKey.startsWith("team_handed"))
      expect(sent).toMatchObject({ subject: "An app is in your name now", link: { path: `/developer/apps/${app.id}` } })
      expect(sent?.body).toContain("Replace the secret before you connect the app")
      expect([sent?.subject, sent?.body].join()).not.toContain(app.name)
    }).pipe(Effect.provide(stores))
  )

  it.effect("the mail to the owner who inherits an app is written beyond the limit, without its name [teams-5]", () =>
    Effect.gen(function* () {
      const now = yield* Timestamp.now
      const { app, holder } = yield* owned()
      const mail = TeamNotice.inherited({ appId: app.id, appName: app.name }, { userId: holder.id }, now)
      expect(NamedMail.decide(NamedMail.none, mail, now).message?.subject).toBe(
        `The app ${app.name} is in your name now`
      )
      const { message } = NamedMail.decide(folding(now), mail, now)
      expect(message?.body).toContain("Replace the secret before you connect the app")
      expect(JSON.stringify(message)).not.toContain(app.name)
    }).pipe(Effect.provide(stores))
  )

  it.effect("a refused invitation uses up no mail: neither a stranger's nor a repeated one [teams-2]", () =>
    Effect.gen(function* () {
      const person = yield* Fixtures.user
      const [first, second] = [yield* owned(), yield* owned()]
      const invite = (by: Account.Account, { app }: typeof first) =>
        inviteMember(by, app.id, { email: person.email, role: "viewer" })
      const stranger = yield* Fixtures.user
      expect(yield* refused(invite(stranger, first))).toBe("NotFound")
      yield* invite(first.holder, first)
      expect(yield* refused(invite(first.holder, first))).toBe("Conflict")
      yield* invite(second.holder, second)
      expect((yield* mails).length).toBe(2)
    }).pipe(Effect.provide(stores))
  )

  it.effect("an invitation of an account that is suspended is refused [teams-2]", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.user
      const app = yield* Fixtures.app(owner.id)
      const person = yield* Fixtures.user
      const { accounts } = yield* MemoryDatabase
      const { id } = yield* inviteMember(owner, app.id, { email: person.email, role: "owner" })
      accounts.set(owner.id, { ...accounts.get(owner.id)!, account: { ...owner, suspendedAt: yield* Timestamp.now } })
      expect(yield* refused(acceptInvitation(person, "confirmed", { appId: app.id, id }))).toBe("NotFound")
    }).pipe(Effect.provide(stores))
  )

  it.effect("who has not confirmed the address finds no invitation, where addresses are confirmed [teams-2]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* owned()
      const person = yield* Fixtures.userWith({ confirmedAt: null })
      const { id } = yield* inviteMember(holder, app.id, { email: person.email, role: "owner" })
      expect(yield* listInvitations(person, "confirmed")).toEqual([])
      expect(yield* refused(acceptInvitation(person, "confirmed", { appId: app.id, id }))).toBe("NotFound")
      expect((yield* readTeam(holder, app.id)).members.length).toBe(1)
      expect((yield* listInvitations(person, "assumed")).length).toBe(1)
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "a hundred older invitations do not hide a newer one, and a person can accept one that the list lacks [teams-2]",
    () =>
      Effect.gen(function* () {
        const person = yield* Fixtures.user
        const { appInvitations } = yield* MemoryDatabase
        const other = yield* owned()
        for (let index = 0; index < 100; index++) {
          const id = InvitationId.make(`inv_${index}`)
          const { app, holder } = other
          const createdAt = Timestamp.make(index - Timestamp.DAY)
          appInvitations.set(id, {
            id,
            appId: app.id,
            email: person.email,
            role: "viewer",
            invitedBy: holder.id,
            createdAt
          })
        }
        const { app, holder } = yield* owned()
        const { id } = yield* inviteMember(holder, app.id, { email: person.email, role: "developer" })
        const listed = (yield* listInvitations(person, "confirmed")).map(({ invitation }) => invitation.id)
        const oldest = InvitationId.make("inv_0")
        expect([listed.length, listed[0], listed.includes(oldest)]).toEqual([100, id, false])
        for (const [invitation, of] of [
          [id, { app, holder }],
          [oldest, other]
        ] as const) {
          const named = { appId: of.app.id, id: invitation }
          expect((yield* getInvitation(person, "confirmed", named)).appName).toBe(of.app.name)
          yield* acceptInvitation(person, "confirmed", named)
          expect((yield* readTeam(of.holder, of.app.id)).members).toHaveLength(2)
        }
      }).pipe(Effect.provide(stores))
  )

  it.effect("every owner reads a reviewer's decision, and no developer or viewer does [teams-5]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* submitted
      const owner = yield* join(holder, app.id, "owner")
      yield* join(holder, app.id, "developer")
      yield* join(holder, app.id, "viewer")
      const reviewer = yield* Fixtures.userWith({ roles: ["reviewer"] })
      yield* decideApp(reviewer, app.id, { decision: "approve", note: null, revision: app.revision })
      const recipients = (yield* mails)
        .filter(({ subject }) => subject.includes("is in production"))
        .map(({ to }) => to)
      expect(recipients.toSorted()).toEqual([holder.id, owner.id].toSorted())
    }).pipe(Effect.provide(stores))
  )

  it.effect("a reviewer of the team does not decide about the app while another reviewer can [teams-1]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* submitted
      yield* Fixtures.userWith({ roles: ["reviewer"] })
      const insider = yield* join(holder, app.id, "viewer", yield* Fixtures.userWith({ roles: ["reviewer"] }))
      const verdict = { decision: "approve", note: null, revision: app.revision } as const
      expect(yield* refused(decideApp(insider, app.id, verdict))).toBe("Forbidden")
    }).pipe(Effect.provide(stores))
  )

  it.effect("when all reviewers are in the team, one of them decides [reviews-1, teams-1]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* submitted
      const insider = yield* join(holder, app.id, "viewer", yield* Fixtures.userWith({ roles: ["reviewer"] }))
      yield* join(holder, app.id, "developer", yield* Fixtures.userWith({ roles: ["admin"] }))
      const verdict = { decision: "approve", note: null, revision: app.revision } as const
      expect((yield* decideApp(insider, app.id, verdict)).status).toBe("production")
    }).pipe(Effect.provide(stores))
  )

  it.effect("owners and developers are warned of a failing endpoint, viewers are not [teams-5]", () =>
    Effect.gen(function* () {
      const { app, holder } = yield* owned()
      const developer = yield* join(holder, app.id, "developer")
      yield* join(holder, app.id, "viewer")
      const endpoint = yield* WebhookFixtures.endpoint(app.id)
      const { strikeWarnings } = yield* MemoryDatabase
      const warning = {
        appId: app.id,
        deliveryId: "dlv_1",
        endpointId: endpoint.id,
        strikes: 5,
        at: yield* Timestamp.now
      }
      strikeWarnings.set("dlv_1" as never, warning as never)
      strikeWarnings.set(`${app.id} dlv_1` as never, warning as never)
      yield* warnOfStrikes()
      const recipients = new Set((yield* mails).filter(({ subject }) => subject.includes("failed")).map(({ to }) => to))
      expect([...recipients].toSorted()).toEqual([holder.id, developer.id].toSorted())
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "a removed member has no access to the app any more; an action beyond the role is Forbidden [teams-1]",
    () =>
      Effect.gen(function* () {
        const { app, holder } = yield* owned()
        const viewer = yield* join(holder, app.id, "viewer")
        expect((yield* getApp(viewer, app.id, "read")).id).toBe(app.id)
        for (const action of ["develop", "secrets", "team"] as const) {
          expect(yield* refused(getApp(viewer, app.id, action))).toBe("Forbidden")
        }
        const member = (yield* readTeam(holder, app.id)).members.find(({ email }) => email === viewer.email)
        yield* removeMember(holder, app.id, member?.id as never)
        expect(yield* refused(getApp(viewer, app.id, "read"))).toBe("NotFound")
      }).pipe(Effect.provide(stores))
  )

  it.effect(
    "a request that waited for the suspension of a holder or owner gets no client secret [staff-1, teams-1]",
    () =>
      Effect.gen(function* () {
        const { app, holder } = yield* owned()
        const owner = yield* join(holder, app.id, "owner")
        const register = (account: Account.Account) =>
          registerRedirectUris(account, app.id, app.redirectUris, "assumed", "unchecked")
        for (const account of [owner, holder]) {
          yield* (yield* StaffStore).change(account.id, AccountChange.suspend(AuditEvent.OPERATOR))
          expect(yield* refused(register(account))).toBe("NotFound")
          yield* (yield* StaffStore).change(account.id, AccountChange.resume(AuditEvent.OPERATOR))
          expect((yield* register(account)).clientSecret).toMatch(/^pa_cs_/)
        }
      }).pipe(Effect.provide(stores))
  )

  it.effect(
    "a request that waited for the suspension of a holder or owner does not change the team [staff-1, teams-1]",
    () =>
      Effect.gen(function* () {
        const { app, holder } = yield* owned()
        const owner = yield* join(holder, app.id, "owner")
        const viewer = yield* join(holder, app.id, "viewer")
        const { members } = yield* readTeam(holder, app.id)
        const idOf = (account: Account.Account) => members.find(({ email }) => email === account.email)?.id as never
        for (const account of [owner, holder]) {
          yield* (yield* StaffStore).change(account.id, AccountChange.suspend(AuditEvent.OPERATOR))
          expect([
            yield* refused(changeMemberRole(account, app.id, idOf(viewer), "owner")),
            yield* refused(handOver(account, app.id, idOf(owner))),
            yield* refused(removeMember(account, app.id, idOf(viewer)))
          ]).toEqual(Array.from({ length: 3 }, () => "NotFound"))
          yield* (yield* StaffStore).change(account.id, AccountChange.resume(AuditEvent.OPERATOR))
          expect((yield* readTeam(holder, app.id)).members).toEqual(members)
        }
        yield* removeMember(owner, app.id, idOf(viewer))
      }).pipe(Effect.provide(stores))
  )
})
