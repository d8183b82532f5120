import type { SqlClient } from "@effect/sql/SqlClient"
import {
  type Account,
  type AccountStore,
  createAccount,
  listSessionsOf,
  type PasswordHasher
} from "@place-access/domain/accounts"
import type { AuditLog } from "@place-access/domain/audit"
import { type CredentialStore, issueResetLink, SignUpRequest } from "@place-access/domain/credentials"
import type { AccountDeletionStore } from "@place-access/domain/deletions"
import { describeFactors, type FactorStore, removeFactors } from "@place-access/domain/factors"
import { type Entropy, Timestamp, type Vault, Words } from "@place-access/domain/shared"
import {
  changeRole,
  confirmAccount,
  deleteAccountAsOperator,
  listAccounts,
  resumeAccount,
  signOutAccount,
  type StaffStore,
  suspendAccount
} from "@place-access/domain/staff"
import { CannotStart, type Settings } from "@place-access/worker"
import { Effect, Option } from "effect"
import type { ServerSettings } from "../ServerSettings.js"
import { find, requireFree, unavailable, unknown } from "./accountOf.js"
import type { AccountCommand, AccountName, OperatorCommand, Output } from "./AccountCommand.js"
import { backup, type KeptFolder } from "./backup.js"
import { factorLine, factorSentences } from "./factorWords.js"
import { keysReencrypt } from "./keysReencrypt.js"
import { keysStatus } from "./keysStatus.js"

const rolesOf = ({ roles }: Account.Account): string => (roles.length === 0 ? "none, a plain user" : roles.join(", "))

const addressOf = (account: Account.Account): string => SignUpRequest.addressOf(account) ?? "no address"

const lineOf = (account: Account.Account) => ({
  id: account.id,
  email: SignUpRequest.addressOf(account),
  display_name: account.displayName,
  roles: account.roles,
  created_at: Timestamp.toIso(account.createdAt),
  confirmed_at: account.confirmedAt === null ? null : Timestamp.toIso(account.confirmedAt),
  suspended_at: account.suspendedAt === null ? null : Timestamp.toIso(account.suspendedAt)
})

/** The services that the account commands need. */
export type AccountPorts =
  | AccountDeletionStore
  | AccountStore
  | AuditLog
  | CredentialStore
  | Entropy.Entropy
  | FactorStore
  | PasswordHasher
  | StaffStore
  | Vault.Vault

/** Those settings of the process that account commands need. */
export interface ServiceFacts {
  readonly baseUrl: string
  /** Whether `SMTP_URL` is set. Without it, this process sends no mail, but a worker with `SMTP_URL` may send mail. */
  readonly hasMailServer: boolean
}

/** The facts about the running server that commands need. */
export interface ServerFacts extends KeptFolder, ServiceFacts {}

export const serviceFactsOf = ({ addresses, mail }: Pick<ServerSettings, "addresses" | "mail">): ServiceFacts => ({
  baseUrl: addresses.baseUrl,
  hasMailServer: mail !== null
})

export const factsOf = (
  { dataDir, keys }: Settings.Embedded,
  settings: Pick<ServerSettings, "addresses" | "mail">
): ServerFacts => ({
  ...serviceFactsOf(settings),
  dataDir,
  keysAreSet: Option.isSome(keys)
})

/** Carries out any operator command in a running server. `CannotStart` says in a sentence why it failed. */
export const performAny = (
  command: OperatorCommand,
  server: ServerFacts
): Effect.Effect<Output, CannotStart, AccountPorts | SqlClient> => {
  if (command._tag === "KeysStatus") return keysStatus
  if (command._tag === "KeysReencrypt") return keysReencrypt
  return command._tag === "Backup" ? backup(server, command.folder) : perform(command, server)
}

/** Carries out one command about accounts. `CannotStart` says in a sentence why it failed. */
export const perform = (
  command: AccountCommand,
  { baseUrl, hasMailServer }: ServiceFacts
): Effect.Effect<Output, CannotStart, AccountPorts> => {
  switch (command._tag) {
    case "List":
      return list
    case "Show":
      return show(command.account)
    case "ResetLink":
      return Effect.zipRight(requireAddress(command.account), resetLink(command.account, baseUrl))
    case "EndSessions":
      return endSessions(command.account)
    case "RemoveFactor":
      return removeFactor(command.account, hasMailServer)
    case "Suspend":
      return changed(command.account, (id) => suspendAccount("operator", id), suspendedWords)
    case "Resume":
      return changed(command.account, (id) => resumeAccount("operator", id), resumedWords)
    case "Role":
      return changed(
        command.account,
        (id) => changeRole("operator", id, command),
        (account, name) => [`Roles of ${name}: ${rolesOf(account)}.`]
      )
    case "Confirm":
      return Effect.zipRight(requireAddress(command.account), changed(command.account, confirmAccount, confirmedWords))
    case "Address":
      return giveAddress(command.account, command.email)
    case "Create":
      return create(command)
    case "Delete":
      return remove(command.account)
  }
}

const PAGE = 500

const list = Effect.gen(function* () {
  const accounts: Array<Account.Account> = []
  let cursor: string | undefined
  do {
    const page = yield* listAccounts("operator", { limit: PAGE, cursor })
    accounts.push(...page.accounts)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  const output: Output = {
    line: { accounts: accounts.map(lineOf) },
    sentences: [
      ...accounts.map(
        (account) =>
          `${addressOf(account)}  ${account.id}  ${rolesOf(account)}${account.suspendedAt === null ? "" : "  SUSPENDED"}`
      ),
      Words.count(accounts.length, "account")
    ]
  }
  return output
}).pipe(Effect.mapError(unavailable))

const addressState = (account: Account.Account): string => {
  if (SignUpRequest.isReleased(account)) return "none"
  return account.confirmedAt === null ? "not confirmed" : `confirmed ${Words.moment(account.confirmedAt)}`
}

/**
 * Shows whose account it is, its roles, its second factors, and where it is signed in. For a suspended account, shows
 * the browsers that are signed in again when the account is resumed.
 */
const show = (name: AccountName) =>
  Effect.gen(function* () {
    const account = yield* find(name)
    const sessions = yield* listSessionsOf(account.id)
    const factors = yield* describeFactors(account)
    const output: Output = {
      line: {
        ...lineOf(account),
        ...factorLine(factors, yield* Timestamp.now),
        sessions: sessions.map(({ address, browser, createdAt, seenAt }) => ({
          browser,
          address,
          signed_in_at: Timestamp.toIso(createdAt),
          last_used_at: Timestamp.toIso(seenAt)
        }))
      },
      sentences: [
        `${account.displayName}, ${addressOf(account)} (${account.id})`,
        `Roles: ${rolesOf(account)}`,
        `Made: ${Words.moment(account.createdAt)}`,
        `Address: ${addressState(account)}`,
        ...(account.suspendedAt === null ? [] : [`Suspended: ${Words.moment(account.suspendedAt)}`]),
        ...factorSentences(factors, yield* Timestamp.now),
        account.suspendedAt === null
          ? `Signed in: ${sessions.length === 0 ? "nowhere" : Words.count(sessions.length, "browser")}`
          : `A resume signs in again: ${sessions.length === 0 ? "no browser" : Words.count(sessions.length, "browser")}`,
        ...sessions.map(
          ({ address, browser, seenAt }) =>
            `  ${browser ?? "unknown browser"}, from ${address ?? "an unknown address"}, last used ${Words.moment(seenAt)}`
        )
      ]
    }
    return output
  }).pipe(Effect.catchTags({ NotFound: () => unknown(name), StoreError: unavailable }))

/** Makes a link with which the owner sets a new password, so that the operator never learns the password. */
const resetLink = (name: AccountName, baseUrl: string) =>
  Effect.gen(function* () {
    const { email } = yield* find(name)
    const { expiresAt, secret } = yield* issueResetLink(email).pipe(
      Effect.catchTags({ NotFound: () => unknown(name), StoreError: unavailable })
    )
    const link = `${baseUrl}/reset-password?token=${secret}`
    const output: Output = {
      line: { link, expires_at: Timestamp.toIso(expiresAt) },
      sentences: [
        `With this link ${name} sets a new password. It works once, until ${Words.moment(expiresAt)}, and signs out every browser:`,
        link,
        "Make sure that you give it to the owner: whoever has it can use the account."
      ]
    }
    return output
  })

/** Ends all sessions of the account. */
const endSessions = (name: AccountName) =>
  Effect.gen(function* () {
    const { id } = yield* find(name)
    const ended = yield* signOutAccount("operator", id).pipe(
      Effect.catchTags({
        Forbidden: () => unknown(name),
        NotFound: () => unknown(name),
        StoreError: unavailable
      })
    )
    const output: Output = {
      line: { ended },
      sentences: [
        ended === 0 ? `${name} was signed in nowhere.` : `Signed ${name} out of ${Words.count(ended, "browser")}.`
      ]
    }
    return output
  })

/** What the operator reads after a change. `name`: how the operator named the account. */
type ChangedWords = (account: Account.Account, name: AccountName) => ReadonlyArray<string>

const suspendedWords: ChangedWords = (_, name) => [
  `${name} is suspended: nobody can sign in with it, apps get no answers about it, and its own apps are paused.`,
  "Its open invitations into teams have ended. Nothing else is deleted.",
  `Was it taken over? Before you resume it: npm start -- account end-sessions ${name}`,
  `To end the suspension: npm start -- account resume ${name}`
]

const resumedWords: ChangedWords = (_, name) => [`${name} works again, with everything that it had.`]

const confirmedWords: ChangedWords = (_, name) => [
  `${name} is confirmed: its owner gets mail there, and can connect apps.`
]

type Change = ReturnType<typeof suspendAccount>

const changed = (name: AccountName, change: (id: Account.Account["id"]) => Change, words: ChangedWords) =>
  Effect.gen(function* () {
    const { id } = yield* find(name)
    const account = yield* change(id).pipe(
      Effect.catchTags({
        Conflict: ({ reason }) => new CannotStart({ message: `${name}: ${reason}. Nothing was changed.` }),
        Forbidden: () => unknown(name),
        NotFound: () => unknown(name),
        StoreError: unavailable
      })
    )
    const output: Output = { line: lineOf(account), sentences: words(account, name) }
    return output
  })

/** Fails for an account that has only a placeholder, to which no mail can go, in place of an e-mail address. */
const requireAddress = (name: AccountName) =>
  Effect.flatMap(find(name), ({ email, id }) =>
    SignUpRequest.isReleased({ email, id })
      ? new CannotStart({
          message:
            `${name}: the account has no e-mail address, because somebody else confirmed it. Nothing was changed. ` +
            `To give it another one: npm start -- account address ${name} EMAIL`
        })
      : Effect.void
  )

/** Gives the account an address, in place of one that is not confirmed (decision staff-9). */
const giveAddress = (name: AccountName, email: Account.Email) =>
  Effect.gen(function* () {
    const { confirmedAt, id } = yield* find(name)
    if (confirmedAt !== null) {
      return yield* new CannotStart({
        message: `${name} has a confirmed address, which its owner changes in the settings. Nothing was changed.`
      })
    }
    yield* requireFree(email, id)
    return yield* changed(
      name,
      () => confirmAccount(id, email),
      () => [
        `${name} has the address ${email} now: its owner gets mail there, and signs in with it.`,
        `Does the owner not know the password? npm start -- account reset-link ${email}`
      ]
    )
  })

/** Makes an account; the operator makes the first admin this way (decision A4). */
const create = ({ _tag, ...newAccount }: Extract<AccountCommand, { readonly _tag: "Create" }>) =>
  Effect.gen(function* () {
    const account = yield* createAccount(newAccount).pipe(
      Effect.catchTags({
        Invalid: ({ problems: [{ message }] }) => new CannotStart({ message: `The password ${message}.` }),
        Conflict: () =>
          new CannotStart({ message: `${newAccount.email} has an account already. Nothing was changed.` }),
        StoreError: () => new CannotStart({ message: "The database could not store the account. Try again." })
      })
    )
    const roles = account.roles.length === 0 ? "a plain user" : account.roles.join(" and ")
    const output: Output = {
      line: lineOf(account),
      sentences: [`Made an account for ${account.email}: ${roles}.`]
    }
    return output
  })

const remove = (name: AccountName) =>
  Effect.gen(function* () {
    const { id } = yield* find(name)
    yield* deleteAccountAsOperator(id).pipe(
      Effect.catchTags({
        Conflict: () =>
          new CannotStart({ message: `${name} is the only admin: make another one first. Nothing was changed.` }),
        NotFound: () => unknown(name),
        StoreError: unavailable
      })
    )
    const output: Output = {
      line: { deleted: id },
      sentences: [`Deleted the account of ${name}. A worker removes its history in the next minutes.`]
    }
    return output
  })

/**
 * Requests the removal of all second factors of the account. A later call removes the factors, if it comes after the
 * waiting time and within a week after the end of that time.
 */
const removeFactor = (name: AccountName, hasMailServer: boolean) =>
  Effect.gen(function* () {
    const { confirmedAt, email } = yield* find(name)
    // The worker sends this mail only to a confirmed address, and only with a mail server. Otherwise the answer to the
    // operator must not say that the owner will know of the removal. A message that nobody could send for seven days is
    // given up (decision mail-3).
    const told =
      confirmedAt === null
        ? `The owner gets no mail about it, because nobody confirmed the address of ${name}.`
        : hasMailServer
          ? "The owner gets a mail about it."
          : "SMTP_URL is not set: the owner gets a mail about it only if a server or worker with SMTP_URL runs within " +
            "seven days."
    const outcome = yield* removeFactors(email).pipe(
      Effect.catchTags({
        NotFound: () => unknown(name),
        Conflict: () => new CannotStart({ message: `${name} has no second factor. Nothing was changed.` }),
        StoreError: unavailable
      })
    )
    if (outcome._tag === "Removed") {
      const removed: Output = {
        line: { state: "removed" },
        sentences: [`Removed the second factor of ${name} and signed the account out everywhere. ${told}`]
      }
      return removed
    }
    const waiting: Output = {
      line: { state: "waiting", opens_at: Timestamp.toIso(outcome.opensAt) },
      sentences: [
        outcome._tag === "Requested"
          ? `Nothing is removed yet. ${told} The owner can stop it with the second factor or in the settings.`
          : `Nothing is removed yet: it was asked for before.`,
        `Run this command again from ${Words.moment(outcome.opensAt)} on, within a week, if you are sure that it is the owner who asks.`
      ]
    }
    return waiting
  })
