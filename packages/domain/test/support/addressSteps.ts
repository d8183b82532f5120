import { Account } from "@place-access/domain/accounts"
import { Timestamp } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"

/** Generates the random scenarios that `liveAddresses` runs: three people and four addresses. */

export type AddressStep =
  | { readonly _tag: "SignUp"; readonly address: number; readonly password: number }
  /**
   * `link` selects one of the links that were mailed for this purpose: 0 is the newest. `times` browsers use
   * the link at the same time.
   */
  | { readonly _tag: "ConfirmSignUp"; readonly link: number; readonly password: number; readonly times: number }
  | { readonly _tag: "AskChange"; readonly person: number; readonly address: number }
  | { readonly _tag: "AskConfirmation"; readonly person: number }
  | { readonly _tag: "Confirm"; readonly link: number; readonly person: number; readonly times: number }
  | { readonly _tag: "Undo"; readonly link: number; readonly password: number; readonly times: number }
  | { readonly _tag: "NewPassword"; readonly person: number; readonly password: number }
  | { readonly _tag: "Pass"; readonly millis: number }

const { DAY, MINUTE } = Timestamp
export const WEEK = 7 * DAY
export const PASSWORDS = ["correct horse battery", "purple monkey dishwasher", "staple ocean seventeen"].map((text) =>
  Account.Password.make(text)
)
const PEOPLE = 3
export const ADDRESSES = 4

const person = fc.nat({ max: PEOPLE - 1 })
const password = fc.nat({ max: PASSWORDS.length - 1 })
const address = fc.nat({ max: ADDRESSES - 1 })
const link = fc.constantFrom(0, 0, 0, 1, 2)
const times = fc.constantFrom(1, 1, 1, 2)

const one = <Name extends AddressStep["_tag"], Fields>(
  _tag: Name,
  fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> }
) => fc.record({ _tag: fc.constant(_tag), ...fields })

const step = fc.oneof(
  { weight: 4, arbitrary: one("SignUp", { address, password }) },
  { weight: 4, arbitrary: one("ConfirmSignUp", { link, password, times }) },
  { weight: 5, arbitrary: one("AskChange", { person, address }) },
  { weight: 2, arbitrary: one("AskConfirmation", { person }) },
  { weight: 6, arbitrary: one("Confirm", { link, person, times }) },
  { weight: 6, arbitrary: one("Undo", { link, password, times }) },
  { weight: 1, arbitrary: one("NewPassword", { person, password }) },
  { weight: 4, arbitrary: one("Pass", { millis: fc.constantFrom(1, 31 * MINUTE, DAY - 1, DAY, WEEK - 1, WEEK) }) }
) as fc.Arbitrary<AddressStep>

/** An account changes its address twice and its password once. Then both undo links are used, in time or too late. */
const takeover = fc
  .record({
    person,
    first: address,
    second: address,
    password,
    link: fc.constantFrom(0, 1),
    late: fc.constantFrom(WEEK - 1, WEEK, 0)
  })
  .map(({ first, late, link, password, person, second }): ReadonlyArray<AddressStep> => [
    { _tag: "AskChange", person, address: first },
    { _tag: "Confirm", link: 0, person, times: 1 },
    { _tag: "AskChange", person, address: second },
    { _tag: "Confirm", link: 0, person, times: 1 },
    { _tag: "NewPassword", person, password },
    { _tag: "Pass", millis: late },
    { _tag: "Undo", link, password, times: 1 },
    { _tag: "Undo", link: 1 - link, password, times: 1 }
  ])

/**
 * An account uses a link that changes its address, or a link that undoes the change, after other accounts have taken
 * every free address.
 */
const contested = fc
  .record({ person, address, password, isUndo: fc.boolean() })
  .map(({ address, isUndo, password, person }): ReadonlyArray<AddressStep> => [
    { _tag: "AskChange", person, address },
    ...(isUndo ? [{ _tag: "Confirm", link: 0, person, times: 1 } as const] : []),
    ...Array.from({ length: ADDRESSES }, (_, index) => [
      { _tag: "SignUp", address: index, password } as const,
      { _tag: "ConfirmSignUp", link: 0, password, times: 1 } as const
    ]).flat(),
    isUndo ? { _tag: "Undo", link: 0, password, times: 1 } : { _tag: "Confirm", link: 0, person, times: 1 }
  ])

/** A link is used at the last instant of its validity, or a millisecond later. */
const late = fc
  .record({ person, address, password, millis: fc.constantFrom(DAY - 1, DAY), isChange: fc.boolean() })
  .map(({ address, isChange, millis, password, person }): ReadonlyArray<AddressStep> => [
    isChange ? { _tag: "AskChange", person, address } : { _tag: "SignUp", address, password },
    { _tag: "Pass", millis },
    isChange ? { _tag: "Confirm", link: 0, person, times: 1 } : { _tag: "ConfirmSignUp", link: 0, password, times: 1 }
  ])

export const addressLives: fc.Arbitrary<ReadonlyArray<AddressStep>> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: step.map((only) => [only]) },
      { weight: 2, arbitrary: takeover },
      { weight: 1, arbitrary: late },
      { weight: 1, arbitrary: contested }
    ),
    { minLength: 1, maxLength: 16 }
  )
  .map((all) => all.flat())

export const ADDRESS_MARKS = [
  "a change of another account's",
  "a change that is dead",
  "a change too late",
  "a change was confirmed",
  "a change whose address is taken",
  "a sign-up of a taken address told its owner",
  "a sign-up that is dead",
  "a sign-up too late",
  "a sign-up was confirmed",
  "a sign-up with another password",
  "an address that was confirmed already",
  "an older undo link outlived a younger one",
  "an undo after a new password",
  "an undo that is dead",
  "an undo too late",
  "an undo whose address is taken",
  "another account's address was asked for",
  "of several at once one",
  "undone"
]
