import { Pkce } from "@place-access/domain/tokens"
import { MemoryVault } from "@place-access/domain/testing"
import { expect, it } from "vitest"

const vault = MemoryVault.make(["k1"])

it("a verifier has 43 to 128 unreserved characters, and its challenge is base64url(SHA-256(verifier)) [§2.1-verifier, §2.1-challenge, §8-verifier]", () => {
  const opens = (verifier: string) => Pkce.matches(vault, verifier, Pkce.Challenge.make(vault.s256(verifier)))
  expect([42, 43, 128, 129].map((length) => opens("x".repeat(length)))).toEqual([false, true, true, false])
  expect(opens(`${"x".repeat(43)}!`)).toBe(false)
})
