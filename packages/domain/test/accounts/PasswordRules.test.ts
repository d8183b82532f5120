import { Account, PasswordRules } from "@place-access/domain/accounts"
import { describe, expect, it } from "vitest"

const owner = {
  email: Account.Email.make("ada.lovelace@example.com"),
  displayName: Account.DisplayName.make("Ada King")
}
const common = new Set([
  "123456",
  "1234567890",
  "password",
  "dragon",
  "correcthorse",
  "qwerty123",
  "1q2w3e4r5t",
  "p@ssw0rd"
])
const refusal = (password: string) =>
  PasswordRules.refusal(Account.Password.make(password), owner, (text) => common.has(text))

describe("passwords that are refused although they are long enough [accounts-7]", () => {
  it.each([
    ["1234567890", "a common one"],
    ["CorrectHorse", "in whatever case"],
    ["password1234", "with digits behind it"],
    ["2026dragon!", "with digits and signs on both sides"],
    ["1234567890!", "digits only, with a sign behind them"],
    ["!!1234567890", "digits only, with signs before them"],
    ["qwerty123456!", "one that ends with digits, with more digits and a sign behind it"],
    ["1q2w3e4r5t!", "one that begins with a digit"],
    ["12p@ssw0rd2026", "one with signs inside, with digits on both sides"],
    ["123dragon456", "with six digits around it"],
    ["aaaaaaaaaa", "one letter again and again"],
    ["AAAAAaaaaaaaaaaaaaa", "one letter in both cases"],
    ["aaaaaaaa2026!", "one letter, with digits and a sign behind it"],
    ["          ", "blanks only"],
    ["🦉🦉🦉🦉🦉🦉🦉🦉🦉🦉", "one emoji again and again"],
    ["ｃｏｒｒｅｃｔｈｏｒｓｅ", "in wide letters, which are the same password (NFKC)"]
  ])("%s: %s", (password) => {
    expect(refusal(password)).toMatch(/^is one of the passwords that attackers try first/)
  })

  it.each([
    ["ada.lovelace@example.com"],
    ["Ada.Lovelace"],
    ["ada.lovelace2026"],
    ["AdaKing1234"],
    ["ada king 1"],
    ["7ada.lovelace26"]
  ])("%s: made from the owner's address or name", (password) => {
    expect(refusal(password)).toBe("must not be made from your e-mail address or your name")
  })

  it.each([
    ["correct horse battery", "several words"],
    ["dragon and password", "common ones together"],
    ["dragon-8273645", "more than six characters around a common one"],
    ["1234dragon567", "seven digits around a common one, on both sides together"],
    ["qwerty123-827364", "seven characters around a common one that ends with digits"],
    ["ada.lovelace wrote programs", "more than the name"],
    ["0123456789ab", "a core of less than four letters"],
    ["ababababab", "two letters again and again"]
  ])("%s is allowed: %s", (password) => {
    expect(refusal(password)).toBeUndefined()
  })

  it("an address or name that begins or ends with digits is refused with more of them around it", () => {
    const person = { email: Account.Email.make("ada1815@example.com"), displayName: Account.DisplayName.make("R2-D2") }
    const made = (password: string) => PasswordRules.refusal(Account.Password.make(password), person, () => false)
    expect(made("ada1815!2026")).toBe("must not be made from your e-mail address or your name")
    expect(made("2026r2-d2!")).toBe("must not be made from your e-mail address or your name")
    expect(made("ada1816!2026")).toBeUndefined()
  })

  it("says nothing of the password itself", () => {
    expect(refusal("password1234")).not.toContain("1234")
  })
})
