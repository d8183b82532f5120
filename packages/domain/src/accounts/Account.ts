// The fields of an account, and plain functions on them. Decisions accounts-1, accounts-2 and accounts-3.
import { Option, Schema } from "effect"
import { brand } from "../shared/Errors.js"
import { type AppId, Language, Text, TimeZone, type Timestamp, UserId } from "../shared/index.js"

/** The roles of an account. A role adds rights to the rights that every user has (decision A1). */
export const Role = Schema.Literal("developer", "reviewer", "admin")
export type Role = typeof Role.Type
/** A role of a person who runs the service or reviews apps. */
export type StaffRole = Exclude<Role, "developer">

/**
 * An e-mail address: trimmed, in Unicode form NFC and in lower case, so that case does not matter.
 * `Account.confirmedAt` says whether the address was confirmed.
 */
export const Email = Schema.transform(Schema.String, Schema.String, {
  strict: true,
  decode: (text) => Text.composed(text.trim(), 254).toLowerCase(),
  encode: (text) => text
}).pipe(
  Schema.annotations({ jsonSchema: { type: "string", maxLength: 254 } }),
  // `Schema.maxLength` would replace the JSON schema above, so a plain filter checks the length.
  Schema.filter((text) => text.length <= 254, { message: () => "must be at most 254 characters" }),
  Schema.filter((text) => EMAIL.test(text) && !/[\p{C}\p{Z}]/u.test(text), {
    message: () => "must be an e-mail address"
  }),
  brand("Email")
)
export type Email = typeof Email.Type

const EMAIL = /^[^@<>"]+@[^@<>"]+\.[^@<>".]+$/

/**
 * A password of 10 to 200 characters (NIST SP 800-63B §3.1.1). `PasswordRules` also refuses passwords that attackers
 * try first.
 */
export const Password = Schema.String.pipe(
  Schema.filter((text) => Text.length(text) >= 10, {
    message: () => "must be at least 10 characters",
    jsonSchema: { minLength: 10 }
  }),
  Schema.filter((text) => Text.length(text) <= 200, {
    message: () => "must be at most 200 characters",
    jsonSchema: { maxLength: 200 }
  }),
  brand("Password")
)
export type Password = typeof Password.Type

export const DisplayName = Text.line(1, 80).pipe(brand("DisplayName"))
export type DisplayName = typeof DisplayName.Type

/** The name of an account that is made without a name: the part of the e-mail before the @, at most 80 characters. */
export const nameFrom = (email: Email): DisplayName =>
  DisplayName.make(
    Array.from(email.slice(0, email.lastIndexOf("@")))
      .slice(0, 80)
      .join("")
  )

export interface Account {
  readonly id: UserId
  readonly email: Email
  readonly displayName: DisplayName
  readonly roles: ReadonlyArray<Role>
  readonly createdAt: Timestamp.Timestamp
  /** Since when nobody can use the account (decision staff-1); null: the account is not suspended. */
  readonly suspendedAt: Timestamp.Timestamp | null
  /**
   * When the owner proved that they read the mail to `email`, or when an operator confirmed the address for them. Null:
   * nobody has confirmed the address, so it gets no mail except the link for this proof.
   */
  readonly confirmedAt: Timestamp.Timestamp | null
  /** The IANA name of the zone in which pages show times. Null: unknown, so pages show UTC (decision accounts-19). */
  readonly timeZone: string | null
  /** The language that the owner chose. Null: no choice, so pages are in the language of each browser (accounts-20). */
  readonly language: Language.Language | null
  /**
   * The language of mails when `language` is null: the language of the first browser that signed in and named a
   * language of the service. Null: no browser has named a language of the service.
   */
  readonly browserLanguage: Language.Language | null
  /** The app to which this test person belongs (decision test-people-1). Null: the account of a real person. */
  readonly testOf: AppId | null
}

/**
 * Whether the owner must confirm the e-mail address before the account can do everything (decision accounts-11).
 * `assumed`: every address counts as confirmed, as on a developer's machine, where the service sends no mail.
 */
export type AddressRule = "confirmed" | "assumed"

/** Whether the account may take actions that need a confirmed e-mail address. */
export const countsAsConfirmed = ({ confirmedAt }: Pick<Account, "confirmedAt">, rule: AddressRule): boolean =>
  rule === "assumed" || confirmedAt !== null

/** The reason in the `Forbidden` when the owner must confirm the e-mail address first. */
export const UNCONFIRMED = "confirm your e-mail address first: the settings mail you a link"

/** The reason in the `Conflict` when an account has the e-mail address already. */
export const EMAIL_TAKEN = "the e-mail address is taken"

/** The id of the account that replaces deleted accounts (`AccountDeletion.NOBODY`). */
export const NOBODY_ID = UserId.make("deleted_account")

/**
 * Whether the account is that of a person: neither a test person nor the account that replaces deleted accounts. Only
 * people can sign in, and staff manage only the accounts of people.
 */
export const isPerson = ({ id, testOf }: Account): boolean => id !== NOBODY_ID && testOf === null

/** Whether the account has `role`. */
export const hasRole = (account: Account, role: Role): boolean => account.roles.includes(role)

/** Whether the account has the role of a reviewer or of an admin. */
export const isStaff = (account: Pick<Account, "roles">): boolean =>
  account.roles.some((role) => role === "reviewer" || role === "admin")

/**
 * The account with the roles `added` in addition to its own. Its `roles` are in the order of the literals of `Role`.
 */
export const withRoles = (account: Account, added: ReadonlyArray<Role>): Account => ({
  ...account,
  roles: Role.literals.filter((role) => account.roles.includes(role) || added.includes(role))
})

/** The time zone in which pages show times to this account. None: unknown (decision accounts-19). */
export const zoneOf = ({ timeZone }: Pick<Account, "timeZone">): Option.Option<TimeZone.TimeZone> =>
  timeZone === null ? Option.none() : TimeZone.find(timeZone)

/**
 * The language of mails to the account: the language that its owner chose, else the language of its first browser, else
 * the default language (decision accounts-20).
 */
export const mailLanguageOf = ({ browserLanguage, language }: Pick<Account, "browserLanguage" | "language">) =>
  language ?? browserLanguage ?? Language.DEFAULT

/** A suspension that is over. Events that occurred during the suspension are never sent (decision staff-1). */
export interface Suspension {
  /** The beginning of the suspension, inclusive. */
  readonly from: Timestamp.Timestamp
  /** The end of the suspension, exclusive. */
  readonly until: Timestamp.Timestamp
}

/** Whether `at` lies in one of the past suspensions. */
export const wasSuspended = (past: ReadonlyArray<Suspension>, at: Timestamp.Timestamp): boolean =>
  past.some(({ from, until }) => from <= at && at < until)
