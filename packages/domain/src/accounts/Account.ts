import { Schema } from "effect"
import type { UserId } from "../shared/Ids.js"
import * as Text from "../shared/Text.js"
import type { Timestamp } from "../shared/Timestamp.js"

/** Added to an account; every account is a user (decision A1). */
export const Role = Schema.Literal("developer", "reviewer", "admin")
export type Role = typeof Role.Type

/** Compared without case; kept in lower case, without blanks around it. The form is checked, deliverability is not. */
export const Email = Schema.transform(Schema.String, Schema.String, {
  strict: true,
  decode: (text) => text.trim().normalize("NFC").toLowerCase(),
  encode: (text) => text
}).pipe(
  Schema.annotations({ jsonSchema: { type: "string", maxLength: 254 } }),
  // A filter of the library's own would take the place of what is said of the whole.
  Schema.filter((text) => text.length <= 254, { message: () => "must be at most 254 characters" }),
  Schema.filter((text) => EMAIL.test(text) && !/[\p{C}\p{Z}]/u.test(text), {
    message: () => "must be an e-mail address"
  }),
  Schema.brand("Email")
)
export type Email = typeof Email.Type

const EMAIL = /^[^@<>"]+@[^@<>"]+\.[^@<>".]+$/

/** 10 to 200 characters, nothing else demanded (NIST SP 800-63B §3.1.1). */
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

/** For an account made without a name: what stands before the @. */
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
  readonly createdAt: Timestamp
}

/** Why an account cannot be made (`Conflict`). */
export const EMAIL_TAKEN = "the e-mail address is taken"

/** What a role permits is the caller's business. */
export const hasRole = (account: Account, role: Role): boolean => account.roles.includes(role)

/** In catalogue order and without repeats. */
export const withRoles = (account: Account, added: ReadonlyArray<Role>): Account => ({
  ...account,
  roles: Role.literals.filter((role) => account.roles.includes(role) || added.includes(role))
})
