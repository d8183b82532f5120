import { Account, PasswordRules } from "@place-access/domain/accounts"
import { describe, expect, it } from "vitest"

const owner = {
  email: Account.Email.make("ada.lovelace@example.com"),
  displayName: Account.DisplayName.make("Ada King")
}
const common = new Set(["1234567890", "password", "dragon", "correcthorse"])
const refusal = (password: string) =>
  PasswordRules.refusal(Account.Password.make(password), owner, (text) => common.has(text))

describe("passwords that are refused although they are long enough [accounts-7]", () => {
  it.each([
    ["1234567890", "a common one"],
    ["CorrectHorse", "in whatever case"],
    ["password1234", "with digits behind it"],
    ["2026dragon!", "with digits and signs on both sides"],
    ["ｃｏｒｒｅｃｔｈｏｒｓｅ", "in wide letters, which are the same password (NFKC)"]
  ])("%s: %s", (password) => {
    expect(refusal(password)).toMatch(/^is one of the passwords that attackers try first/)
  })

  it.each([["ada.lovelace@example.com"], ["Ada.Lovelace"], ["ada.lovelace2026"], ["AdaKing1234"], ["ada king 1"]])(
    "%s: made from the owner's address or name",
    (password) => {
      expect(refusal(password)).toBe("must not be made from your e-mail address or your name")
    }
  )

  it.each([
    ["correct horse battery", "several words"],
    ["dragon and password", "common ones together"],
    ["dragon-8273645", "more than six characters around a common one"],
    ["ada.lovelace wrote programs", "more than the name"],
    ["0123456789ab", "a core of less than four letters"]
  ])("%s is allowed: %s", (password) => {
    expect(refusal(password)).toBeUndefined()
  })

  it("says nothing of the password itself", () => {
    expect(refusal("password1234")).not.toContain("1234")
  })
})
