// An account and its fields. Decisions accounts-1, accounts-2 and accounts-3.
import { Schema } from "effect"
import { Text, type Timestamp, type UserId } from "../shared/index.js"

/** What an account may do besides using the service as a person (decision A1). */
export const Role = Schema.Literal("developer", "reviewer", "admin")
export type Role = typeof Role.Type

/** Stored trimmed and in lower case, so that case does not matter. Whether mail arrives there is not checked. */
export const Email = Schema.transform(Schema.String, Schema.String, {
  strict: true,
  decode: (text) => text.trim().normalize("NFC").toLowerCase(),
  encode: (text) => text
}).pipe(
  Schema.annotations({ jsonSchema: { type: "string", maxLength: 254 } }),
  // A length filter of the library would replace the JSON schema above.
  Schema.filter((text) => text.length <= 254, { message: () => "must be at most 254 characters" }),
  Schema.filter((text) => EMAIL.test(text) && !/[\p{C}\p{Z}]/u.test(text), {
    message: () => "must be an e-mail address"
  }),
  Schema.brand("Email")
)
export type Email = typeof Email.Type

const EMAIL = /^[^@<>"]+@[^@<>"]+\.[^@<>".]+$/

/** 10 to 200 characters, with no other rule (NIST SP 800-63B §3.1.1). */
export const Password = Schema.String.pipe(
  Schema.filter((text) => Text.length(text) >= 10, {
    message: () => "must be at least 10 characters",
    jsonSchema: { minLength: 10 }
  }),
  Schema.filter((text) => Text.length(text) <= 200, {
    message: () => "must be at most 200 characters",
    jsonSchema: { maxLength: 200 }
  }),
  Schema.brand("Password")
)
export type Password = typeof Password.Type

export const DisplayName = Text.line(1, 80).pipe(Schema.brand("DisplayName"))
export type DisplayName = typeof DisplayName.Type

/** The name of an account that was made without one: the part of the e-mail before the @. */
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
}

/** The reason in the `Conflict` when an e-mail has an account already. */
export const EMAIL_TAKEN = "the e-mail address is taken"

/** Whether the account has `role`. */
export const hasRole = (account: Account, role: Role): boolean => account.roles.includes(role)

/** The account with these roles added, in the order of the catalogue. */
export const withRoles = (account: Account, added: ReadonlyArray<Role>): Account => ({
  ...account,
  roles: Role.literals.filter((role) => account.roles.includes(role) || added.includes(role))
})
