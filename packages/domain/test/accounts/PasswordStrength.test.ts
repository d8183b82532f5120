import { PasswordStrength } from "@place-access/domain/accounts"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

describe("how hard a password is to guess, in words [accounts-8]", () => {
  it.each([
    ["aaaaaaaaaaaaaaaaaaaa", "weak"],
    ["abcdefghijklmnop", "weak"],
    ["hahahahahahaha", "weak"],
    ["blue kettle", "weak"],
    ["blue kettle box", "fair"],
    ["Blue kettle 27", "strong"],
    ["blue kettle window seven", "strong"],
    ["kD8#vq2LpZ!e", "strong"]
  ])("%s is %s", (password, strength) => {
    expect(PasswordStrength.of(password)).toBe(strength)
  })

  it("has words for each, which say how to do better", () => {
    for (const weaker of ["weak", "fair"] as const) expect(PasswordStrength.words[weaker]).toContain("One more word")
    expect(PasswordStrength.words.strong).toContain("strong")
  })

  it("more characters never make a password weaker", () => {
    const rank = { weak: 0, fair: 1, strong: 2 }
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 5 }), (text, more) => {
        expect(rank[PasswordStrength.of(text + more)]).toBeGreaterThanOrEqual(rank[PasswordStrength.of(text)])
      })
    )
  })
})
