import { type Account, AccountStore, endAllSessions, listSessionsOf } from "@place-access/domain/accounts"
import { issueResetLink } from "@place-access/domain/credentials"
import { Words } from "@place-access/domain/shared"
import { CannotStart } from "@place-access/worker"
import { Console, DateTime, Effect, Option } from "effect"

// What an operator does about one account. Each command prints sentences, or one line of JSON.

interface About {
  readonly email: Account.Email
  readonly json: boolean
}

const unknown = (email: Account.Email) =>
  new CannotStart({ message: `${email} has no account here. Nothing was changed.` })

const unavailable = () => new CannotStart({ message: "The database did not answer. Try again." })

const find = (email: Account.Email) =>
  Effect.flatMap(AccountStore, (store) => store.findByEmail(email)).pipe(
    Effect.catchTag("StoreError", unavailable),
    Effect.flatMap(
      Option.match({ onNone: () => unknown(email), onSome: ({ account }) => Effect.succeed<Account.Account>(account) })
    )
  )

const print = (json: boolean, line: Readonly<Record<string, unknown>>, sentences: ReadonlyArray<string>) =>
  Console.log(json ? JSON.stringify(line) : sentences.join("\n"))

const iso = (at: number): string => DateTime.formatIso(DateTime.unsafeMake(at))

/** Who the account belongs to, its roles, and where it is signed in. */
export const showAccount = ({ email, json }: About) =>
  Effect.gen(function* () {
    const account = yield* find(email)
    const sessions = yield* Effect.catchTag(listSessionsOf(account.id), "StoreError", unavailable)
    const line = {
      id: account.id,
      email: account.email,
      display_name: account.displayName,
      roles: account.roles,
      created_at: iso(account.createdAt),
      sessions: sessions.map(({ address, browser, createdAt, seenAt }) => ({
        browser,
        address,
        signed_in_at: iso(createdAt),
        last_used_at: iso(seenAt)
      }))
    }
    yield* print(json, line, [
      `${account.displayName}, ${account.email} (${account.id})`,
      `Roles: ${account.roles.length === 0 ? "none, a plain user" : account.roles.join(", ")}`,
      `Made: ${Words.moment(account.createdAt)}`,
      `Signed in: ${sessions.length === 0 ? "nowhere" : Words.count(sessions.length, "browser")}`,
      ...sessions.map(
        ({ address, browser, seenAt }) =>
          `  ${browser ?? "unknown browser"}, from ${address ?? "an unknown address"}, last used ${Words.moment(seenAt)}`
      )
    ])
  })

/** Prints a link with which the owner sets a new password. The operator never learns the password. */
export const printResetLink = ({ email, json }: About, baseUrl: string) =>
  Effect.gen(function* () {
    const { expiresAt, secret } = yield* issueResetLink(email).pipe(
      Effect.catchTags({ NotFound: () => unknown(email), StoreError: unavailable })
    )
    const link = `${baseUrl}/reset-password?token=${secret}`
    yield* print(json, { link, expires_at: iso(expiresAt) }, [
      `With this link ${email} sets a new password. It works once, until ${Words.moment(expiresAt)}, and signs out every browser:`,
      link,
      "Make sure that you give it to the owner: whoever has it can use the account."
    ])
  })

/** Signs the account out everywhere, at once. */
export const endSessions = ({ email, json }: About) =>
  Effect.gen(function* () {
    const account = yield* find(email)
    const ended = yield* Effect.catchTag(endAllSessions(account.id), "StoreError", unavailable)
    yield* print(json, { ended }, [
      ended === 0 ? `${email} was signed in nowhere.` : `Signed ${email} out of ${Words.count(ended, "browser")}.`
    ])
  })
