import { type Account, NoticeKind } from "@place-access/domain/accounts"
import type { App, AppReview } from "@place-access/domain/apps"
import { type Connection, DisconnectNotice } from "@place-access/domain/connection"
import { Receipt } from "@place-access/domain/consent"
import { AccountLink, AddressChange, PasswordChange, SignUpRequest } from "@place-access/domain/credentials"
import { AccountDeletion } from "@place-access/domain/deletions"
import { StrikeWarning, WebhookEndpoint } from "@place-access/domain/endpoints"
import { Export } from "@place-access/domain/exports"
import { Factors } from "@place-access/domain/factors"
import { LocalDays } from "@place-access/domain/fixes"
import { type Mail, NamedMail } from "@place-access/domain/mail"
import { OwnerNotice } from "@place-access/domain/owner-notices"
import type { Purpose } from "@place-access/domain/purposes"
import type { ReviewDecision } from "@place-access/domain/reviews"
import { type Scope, Scope as Scopes, Timestamp, type Vault, Words } from "@place-access/domain/shared"
import { AccountChange } from "@place-access/domain/staff"
import { SteeringNotice } from "@place-access/domain/steering"
import { Role, type Team, TeamNotice } from "@place-access/domain/teams"
import { Today } from "@place-access/domain/timeline"
import { LeakNotice } from "@place-access/domain/tokens"
import { Either, FastCheck as fc, Option } from "effect"
import * as AppNotice from "../../src/apps/AppNotice.js"
import * as NewBrowser from "../../src/credentials/NewBrowser.js"
import * as FactorMails from "../../src/factors/factorMails.js"
import * as PurposeNotice from "../../src/purposes/PurposeNotice.js"
import { appOf } from "../support/apps.js"

/**
 * The variable parts of a mail. Strangers choose some of them, such as the name of an app, so a name may contain
 * anything.
 */
export interface Facts {
  readonly name: string
  readonly email: string
  readonly note: string
  readonly at: Timestamp.Timestamp
  readonly number: number
}

/** Every name in the samples contains this letter, so that a test can tell a name from the texts of the service. */
const MARK = "Ж"

/** Names that a stranger may choose to change the meaning of the words around them. */
const HOSTILE = [
  "Coffee Finder",
  `${MARK}” was added to your account. It signs nobody in any more.`,
  `${MARK}" from your account.`,
  `${MARK}. On 31 March 2026 at 12:00 UTC you disconnected the app “y”. z`,
  "{name} {at:moment} {what:text} $& $1 \\",
  "Bed and Breakfast, Inn and more",
  `It cannot be undone. It cannot be undone. Your app was revoked.${MARK}`,
  `${MARK}; then it is deleted. You need to sign in for it.`
]

/** Makes a text one line, like every name that the service accepts. */
const line = (text: string): string => {
  const plain = Words.oneLine(text.replaceAll(/\p{C}/gu, "")).trim()
  return plain.includes(MARK) ? plain : plain + MARK
}

export const facts: fc.Arbitrary<Facts> = fc.record({
  name: fc.oneof(fc.constantFrom(...HOSTILE), fc.fullUnicodeString({ maxLength: 40 }), fc.lorem()).map(line),
  email: fc.oneof(fc.emailAddress(), fc.constant(`${"a.".repeat(100)}z@x.example`)),
  note: fc.fullUnicodeString({ maxLength: 40 }).map((text) => `«${line(text)}»`),
  at: fc
    .integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2100, 0, 1) / 60_000 })
    .map((minute) => Timestamp.make(minute * 60_000)),
  number: fc.integer({ min: 2, max: 1_000_000 })
})

const BOTH = [true, false]
const NO_ONE = { id: "usr_1", email: "ann@example.org", roles: [], suspendedAt: null, confirmedAt: null }

const accountOf = ({ email }: Facts, overrides: object = {}) =>
  ({ ...NO_ONE, email, ...overrides }) as unknown as Account.Account

const namedOf = ({ name }: Facts, overrides: Partial<App.App> = {}) =>
  appOf({ name: name as App.AppName, ...overrides })

const connectionOf = ({ at }: Facts, scopes: ReadonlyArray<Scope.Scope>, isEndless: boolean) =>
  ({
    userId: "usr_1",
    id: "grt_1",
    heldScopes: scopes,
    standardExpiresAt: isEndless ? null : Timestamp.plus(at, Timestamp.DAY),
    sensitiveExpiresAt: isEndless ? null : Timestamp.plus(at, Timestamp.HOUR)
  }) as unknown as Connection.Connection

const linkOf = (facts: Facts, purpose: AccountLink.LinkPurpose, isNew = false) =>
  AccountLink.make(purpose, "0123456789abcdef" as never, accountOf(facts), facts.at, {
    newEmail: isNew ? (`new-${facts.email}` as Account.Email) : null
  })

type Kind = "approved" | "rejected" | "narrowed" | "revoked"

const decisionOf = <Subject>(kind: Kind, note: string | null, subject: Subject) =>
  ({ id: "rev_1", kind, note, subject }) as unknown as ReviewDecision.ReviewDecision<Subject>

const change = ({ name }: Facts): AppReview.AppUnderReview["change"] => {
  const between = <A>(proposed: A) => ({ approved: proposed, proposed })
  return {
    name: between(name),
    description: between(name),
    homepageUrl: between("https://a.example"),
    logo: between("a".repeat(64) as Vault.Hash),
    scopes: between(Scopes.standard),
    redirectUris: between(["https://a.example/back", "https://b.example/back"])
  }
}

type Make = (facts: Facts) => ReadonlyArray<Mail.MailMessage>

const present = (mail: Mail.MailMessage | null | undefined): ReadonlyArray<Mail.MailMessage> =>
  mail === null || mail === undefined ? [] : [mail]

const factorMails: Make = (facts) => {
  const account = accountOf(facts)
  return [
    FactorMails.passkeyAdded(facts.name),
    FactorMails.codeAppAdded,
    FactorMails.passkeyRemoved(facts.name),
    FactorMails.codeAppRemoved,
    FactorMails.codesMade,
    FactorMails.codeUsed(0),
    FactorMails.codeUsed(1),
    FactorMails.codeUsed(facts.number),
    FactorMails.codesGuessed,
    FactorMails.passkeyCopied(facts.name),
    FactorMails.removalRequested,
    FactorMails.removed
  ].map((make) => make(account, facts.at))
}

const addressMails: Make = (facts) => {
  const state = (link: AccountLink.AccountLink, factors = Factors.NONE) => ({
    account: accountOf(facts, { confirmedAt: facts.at }),
    passwordVersion: 1,
    addressVersion: 1,
    factors,
    link
  })
  const fresh = { hash: "fedcba9876543210" as never, sealed: "sealed" as never }
  const changed = AddressChange.confirm("confirmed", fresh)(state(linkOf(facts, "address_change", true)), facts.at)
  const thiefs = { ...Factors.NONE, recoveryCodes: ["0123456789abcdef" as never] }
  const undone = [Factors.NONE, thiefs].map((factors) =>
    AddressChange.undo("confirmed", "hash")(state(linkOf(facts, "address_undo"), factors), facts.at)
  )
  return [
    AddressChange.confirmMail(linkOf(facts, "address_confirmation")),
    AddressChange.confirmMail(linkOf(facts, "address_change", true)),
    AddressChange.takenMail(accountOf(facts), linkOf(facts, "address_change")),
    ...(changed?.mails ?? []),
    ...undone.flatMap((one) => one?.mails ?? [])
  ]
}

const passwordMails: Make = (facts) => {
  const state = (link: AccountLink.AccountLink | null) => ({ account: accountOf(facts), passwordVersion: 1, link })
  const changed = PasswordChange.change({ verified: 1, passwordHash: "hash", keeps: "kept" as never })
  return [
    PasswordChange.resetMail(linkOf(facts, "password_reset")),
    ...present(changed(state(null), facts.at)?.notice),
    ...present(PasswordChange.reset("hash")(state(linkOf(facts, "password_reset")), facts.at)?.notice)
  ]
}

const signUpMails: Make = (facts) => {
  const request = {
    hash: "0123456789abcdef",
    userId: "usr_1",
    email: facts.email,
    createdAt: facts.at,
    expiresAt: facts.at
  } as unknown as SignUpRequest.SignUpRequest
  return [SignUpRequest.confirmMail(request), SignUpRequest.haveAccountMail(accountOf(facts), request)]
}

const browserMails: Make = (facts) => [
  ...[facts.name, null].flatMap((browser) =>
    (["password", "passkey"] as const).map((provedBy) =>
      NewBrowser.mail(
        accountOf(facts),
        { browser, address: browser === null ? null : "192.0.2.7" },
        provedBy,
        () => "0123456789abcdef" as never,
        facts.at
      )
    )
  ),
  NewBrowser.unlockMail(linkOf(facts, "unlock"))
]

const deletionMails: Make = (facts) =>
  [0, 1, 2].flatMap((apps) => {
    // This mail is written in the account's language and zone. The samples are of its English text with times in UTC.
    const reader = { language: null, browserLanguage: null, timeZone: null }
    const state = {
      account: accountOf(facts, { confirmedAt: facts.at, ...reader }),
      isLastAdmin: false,
      apps: Array.from({ length: apps }, () => ({ app: namedOf(facts), people: 0, heir: null }))
    }
    return [AccountDeletion.decide, AccountDeletion.decideForOperator].flatMap((decide) =>
      present(Either.getOrThrow(decide(state, facts.at)).receipt)
    )
  })

const staffMails: Make = (facts) => {
  const by = { _tag: "Operator" } as never
  const has = (overrides: object) => ({ account: accountOf(facts, overrides), hasOtherAdmin: true })
  const roles = ["developer", "reviewer", "admin"] as const
  const steps = [
    ...roles.map((role) => AccountChange.giveRole(role, by)(has({}), facts.at)),
    ...roles.map((role) => AccountChange.takeRole(role, by)(has({ roles }), facts.at)),
    AccountChange.suspend(by)(has({}), facts.at),
    AccountChange.resume(by)(has({ suspendedAt: facts.at }), facts.at),
    AccountChange.confirm(by)(has({}), facts.at)
  ]
  return steps.flatMap((step) => present(Either.getOrThrow(step)?.notice))
}

const exportMails: Make = ({ at }) => {
  const key = { userId: "usr_1", id: "exp_1" } as never
  return [Export.readyMail(key, at), ...Export.ExportFault.literals.map((fault) => Export.failedMail(key, fault))]
}

const appMails: Make = (facts) => {
  const subject = { kind: "app", change: null } as unknown as AppReview.AppUnderReview
  const decided = (kind: Kind, overrides: Partial<App.App> = {}) =>
    [facts.note, null].map((note) => AppNotice.message(namedOf(facts, overrides), decisionOf(kind, note, subject)))
  return [
    ...(["approved", "rejected", "narrowed", "revoked"] as const).flatMap((kind) => decided(kind)),
    ...decided("narrowed", { allowedScopes: [] }),
    ...decided("narrowed", { allowedScopes: Scopes.all }),
    ...(["approved", "rejected"] as const).map((kind) =>
      AppNotice.message(namedOf(facts), decisionOf(kind, null, { ...subject, change: change(facts) }))
    )
  ]
}

const purposeMails: Make = (facts) => {
  const terms = { description: facts.note }
  const purpose = (approved: object | null) => ({ key: "find_coffee", terms, approved }) as unknown as Purpose.Purpose
  return BOTH.flatMap((isLive) =>
    (["approved", "rejected"] as const).map((kind) =>
      PurposeNotice.message(
        namedOf(facts, { status: isLive ? "production" : "sandbox" }),
        purpose(isLive ? terms : null),
        decisionOf(kind, isLive ? facts.note : null, {})
      )
    )
  )
}

const connectionMails: Make = (facts) => {
  const { at, number } = facts
  const app = namedOf(facts)
  const one = (isEndless: boolean) => connectionOf(facts, Scopes.all, isEndless)
  const request = { id: "req_1" } as never
  return [
    DisconnectNotice.message(app, one(true), at),
    ...(["new", "change", "renew_sensitive"] as const).flatMap((mode) =>
      [0, 1, number].flatMap((places) =>
        BOTH.map((is) => Receipt.approved(request, mode, app, one(is), { places, phoneHasSent: is }, at))
      )
    ),
    ...BOTH.flatMap((is) => [
      Receipt.stopped(request, app, one(is), is, at),
      SteeringNotice.changed(app, one(is), at),
      SteeringNotice.changed(app, { ...one(is), sensitiveExpiresAt: at }, at),
      SteeringNotice.changed(
        app,
        { ...one(is), heldScopes: Scopes.all.filter(Scopes.isSensitive), sensitiveExpiresAt: at },
        at
      ),
      SteeringNotice.exactLocationEnded(app, one(is), is, at)
    ]),
    ...(["refresh_token_reused", "code_reused"] as const).map((leak) =>
      LeakNotice.message(leak, { app, connection: one(true) })
    )
  ]
}

const teamMails: Make = (facts) => {
  const { at } = facts
  const team = { appId: "app_1", appName: facts.name } as unknown as Team.Team
  const named = { id: "usr_2", displayName: facts.name, email: facts.email } as unknown as Account.Account
  const invitation = { id: "inv_1", invitedBy: "usr_1", createdAt: at } as unknown as Team.Invitation
  const member = { id: "mbr_1", userId: "usr_1" } as unknown as Team.Member
  return [
    ...Role.TeamRole.literals.flatMap((role) => [
      TeamNotice.invited(team, { ...invitation, role }, named),
      TeamNotice.roleChanged(team, { ...member, role }, at)
    ]),
    TeamNotice.joined(team, invitation),
    TeamNotice.removed(team, member, at),
    TeamNotice.left(team, member, at),
    TeamNotice.handedOver(team, member, at),
    TeamNotice.inherited(team, member, at)
  ]
}

/**
 * The mails without names that the service sends in place of the usual mails, once a reader has got as many mails with
 * an app's name as `NamedMail.LIMIT` allows.
 */
const foldedMails: Make = (facts) => {
  const full = { ...NamedMail.none, namedAt: Array.from({ length: NamedMail.LIMIT }, () => facts.at) }
  const leak = LeakNotice.message("code_reused", { app: namedOf(facts), connection: connectionOf(facts, [], true) })
  const [decided] = appMails(facts)
  const receipt = DisconnectNotice.message(namedOf(facts), connectionOf(facts, [], true), facts.at)
  const team = { appId: "app_1", appName: facts.name } as unknown as Team.Team
  const handedOver = TeamNotice.handedOver(team, { userId: "usr_1" as never }, facts.at)
  return [leak, receipt, handedOver, ...present(decided)].flatMap((mail) =>
    present(NamedMail.decide(full, mail, facts.at).message)
  )
}

const strikeMails: Make = (facts) =>
  [1, WebhookEndpoint.MAX_STRIKES].flatMap((strikes) =>
    [null, "answered 503", "no complete answer within 5 s"].map((error) =>
      StrikeWarning.message(
        { appId: "app_1", deliveryId: "dlv_1", endpointId: "end_1", strikes, at: facts.at } as never,
        {
          app: namedOf(facts),
          endpoint: { id: "end_1", url: "https://a.example/hook?key=1", description: facts.note } as never,
          lastAttempt: { error }
        }
      )
    )
  )

const ownerNotices: Make = (facts) => {
  const zone = Option.getOrThrow(LocalDays.zone("Europe/Berlin"))
  // A Monday, 10 o'clock in Berlin. The service sends the weekly summary on Mondays from 7 o'clock.
  const now = Timestamp.make(Date.UTC(2026, 2, 2, 9))
  const counts = (today: number, before: number) =>
    Array.from({ length: Today.DAYS }, (_, index) => (index === Today.DAYS - 1 ? today : before))
  const askedBy = (...all: ReadonlyArray<ReadonlyArray<number>>) =>
    all.map((counts, index) => ({ appId: `app_${index}` as never, name: facts.name, counts, requests: counts }))
  const ending = (["connection", "exact_location"] as const).map((what) => ({
    connection: { app: { name: facts.name } } as never,
    what,
    at: Timestamp.plus(now, 2 * Timestamp.DAY)
  }))
  const silent = Today.phone(
    [{ name: facts.name, format: "overland", lastSeenAt: Timestamp.plus(now, -2 * Timestamp.DAY) } as never],
    now
  )
  const oneAWeek = counts(0, 0).map((_, index) => (index === Today.DAYS - 3 ? 1 : 0))
  const of = { userId: "usr_1" as never, zone }
  return [
    { ...of, activity: askedBy(counts(facts.number + 50, 1)), phone: silent, ending, connections: 1 },
    { ...of, activity: askedBy(counts(99, 1), counts(99, 0), oneAWeek), phone: null, ending: [], connections: 2 },
    { ...of, activity: [], phone: null, ending: [], connections: 1 }
  ].flatMap((one) => OwnerNotice.due(NoticeKind.literals, one, now))
}

/**
 * Every mail of the domain. The key is the file that writes the mail. If a file is missing here, the test of the
 * sources fails.
 */
export const MAILS: Readonly<Record<string, Make>> = {
  "apps/AppNotice.ts": appMails,
  "connection/DisconnectNotice.ts": connectionMails,
  "consent/Receipt.ts": connectionMails,
  "credentials/AddressChange.ts": addressMails,
  "credentials/NewBrowser.ts": browserMails,
  "credentials/PasswordChange.ts": passwordMails,
  "credentials/SignUpRequest.ts": signUpMails,
  "deletions/AccountDeletion.ts": deletionMails,
  "endpoints/StrikeWarning.ts": strikeMails,
  "exports/Export.ts": exportMails,
  "factors/factorMails.ts": factorMails,
  "mail/NamedMail.ts": foldedMails,
  "owner-notices/OwnerNotice.ts": ownerNotices,
  "purposes/PurposeNotice.ts": purposeMails,
  "staff/AccountChange.ts": staffMails,
  "steering/SteeringNotice.ts": connectionMails,
  "teams/TeamNotice.ts": teamMails,
  "tokens/LeakNotice.ts": connectionMails
}

/** The texts of a mail that its reader sees. */
export const textsOf = ({ body, furtherLinks = [], link, subject }: Mail.MailMessage): ReadonlyArray<string> => [
  subject,
  body,
  ...[...(link === undefined ? [] : [link]), ...furtherLinks].map(({ label }) => label)
]
