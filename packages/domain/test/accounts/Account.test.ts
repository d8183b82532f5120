import { Account } from "@place-access/domain/accounts"
import { Text } from "@place-access/domain/shared"
import { Either, FastCheck as fc, Schema } from "effect"
import { describe, expect, it, vi } from "vitest"

const accepts = (schema: Schema.Schema<never, string>) => (text: string) =>
  Either.isRight(Schema.decodeEither(schema as unknown as Schema.Schema<string, string>)(text))

/** Combining marks in the order in which Unicode's normalisation takes quadratic time. */
const MARKS = "\u0301".repeat(2_000) + "\u0323".repeat(2_000)

/**
 * Returns the error for the text or, if there is none, the decoded text. Also returns the length of the longest text
 * that was normalised for it.
 */
const read = (schema: Schema.Schema<never, string>, text: string) => {
  const seen = vi.spyOn(String.prototype, "normalize")
  const decoded = Schema.decodeEither(schema as unknown as Schema.Schema<string, string>)(text)
  const normalised = Math.max(0, ...seen.mock.contexts.map((one) => String(one).length))
  seen.mockRestore()
  return { result: Either.match(decoded, { onLeft: ({ message }) => message, onRight: (one) => one }), normalised }
}

describe("Email", () => {
  const email = accepts(Account.Email as never)

  it("is compared without case and without blanks around it", () => {
    expect(Schema.decodeSync(Account.Email)("  Ada.Lovelace+x@Example.COM\n")).toBe("ada.lovelace+x@example.com")
  })

  it.each(["a@b.c", "ü@exämple.org", `${"a".repeat(245)}@b.se.com`, "o'brien@example.com"])("takes %s", (text) => {
    expect(email(text)).toBe(true)
  })

  it.each([
    ["nothing", ""],
    ["no @", "example.com"],
    ["nobody", "@example.com"],
    ["two @", "a@b@example.com"],
    ["no dot in the host", "a@localhost"],
    ["a dot at the end", "a@example."],
    ["a blank inside", "a b@example.com"],
    ["a NUL, which PostgreSQL refuses", "a\u0000@example.com"],
    ["a line break, which would add a mail header", "a\r\nBcc: x@example.com"],
    ["a direction override", "a\u202e@example.com"],
    ["half a character", "a\ud800@example.com"],
    ["angle brackets", "<a@example.com>"],
    ["255 characters", `${"a".repeat(243)}@example.com`]
  ])("refuses %s", (_, text) => {
    expect(email(text)).toBe(false)
  })

  it("an address may have 254 characters", () => {
    expect(email(`${"a".repeat(242)}@example.com`)).toBe(true)
  })

  it("a text that no normalising makes short enough is refused as it is; every other text counts in composed form [accounts-1]", () => {
    const refused = read(Account.Email as never, `a${MARKS}@example.com`)
    expect(refused).toMatchObject({ result: expect.stringContaining("must be at most 254 characters"), normalised: 0 })
    const longest = `${"\u1f82".repeat(242)}@example.com`
    expect(read(Account.Email as never, ` ${longest.normalize("NFD")}${" ".repeat(9_999)}`).result).toBe(longest)
  })
})

describe("Password", () => {
  const password = accepts(Account.Password as never)

  it("10 to 200 characters, counted as people count them, nothing else demanded [accounts-2]", () => {
    expect(password("x".repeat(9))).toBe(false)
    expect(password("x".repeat(10))).toBe(true)
    expect(password("x".repeat(200))).toBe(true)
    expect(password("x".repeat(201))).toBe(false)
    expect(password("🦉".repeat(9))).toBe(false)
    expect(password("🦉".repeat(200))).toBe(true)
    expect(password("          ")).toBe(true)
  })
})

describe("DisplayName", () => {
  const name = accepts(Account.DisplayName as never)

  it("1 to 80 characters after trimming, in composed form", () => {
    expect(name("   ")).toBe(false)
    expect(name("é".normalize("NFD").repeat(80))).toBe(true)
    expect(name("x".repeat(81))).toBe(false)
    expect(Schema.decodeSync(Account.DisplayName)("  Zoe\u0308 ")).toBe("Zoë")
  })

  it("no control characters, direction overrides or halves of characters; joined emoji pass [accounts-3]", () => {
    for (const bad of ["\u0000", "\u001b", "\u202e", "\u2066", "\ud83e"]) {
      expect(name(`Ada${bad}Eve`)).toBe(false)
    }
    expect(name("👩‍👩‍👧 می‌خواهم")).toBe(true)
  })

  it("text that shows nothing is empty; characters that show nothing are left out [accounts-3]", () => {
    for (const blank of [
      "\u200b",
      "\u00ad \ufeff",
      "\u3164",
      "\u2800\u2800",
      "\u200d",
      "\u0301",
      "\u{e0041}\u{e0042}"
    ]) {
      expect(name(blank)).toBe(false)
    }
    const read = Schema.decodeSync(Account.DisplayName)
    expect(read("A\u200bda\ufeff \u00adL\u2060.")).toBe("Ada L.")
    expect(read("Ada\u{e0045}\u{e0056}")).toBe("Ada")
    for (const kept of ["👩‍👩‍👧 می‌خواهم", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "٣", "—", "é"]) {
      expect(read(kept)).toBe(kept)
    }
  })

  it("a text that no normalising makes short enough is refused as it is; every other text counts in composed form [accounts-3]", () => {
    const refused = read(Account.DisplayName as never, `a${MARKS}`)
    expect(refused).toMatchObject({ result: expect.stringContaining("must be at most 80 characters"), normalised: 0 })
    const longest = "\u1f82".repeat(80)
    const decomposed = longest.normalize("NFD")
    for (const unseen of ["", " ".repeat(9_999), "\u200b".repeat(9_999), "\n".repeat(9_999)]) {
      expect(read(Account.DisplayName as never, `${unseen}${decomposed}${unseen}`).result).toBe(longest)
    }
    expect(read(Account.DisplayName as never, "e\u034f\u0301").result).toBe("é")
  })

  it("an e-mail gives a name to who has none", () => {
    expect(Account.nameFrom(Account.Email.make("ada@example.com"))).toBe("ada")
    expect(Account.nameFrom(Account.Email.make(`${"🦉".repeat(100)}@example.com`))).toBe("🦉".repeat(80))
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        expect(name(Account.nameFrom(Schema.decodeSync(Account.Email)(text)))).toBe(true)
      })
    )
  })
})

describe("Text", () => {
  it("a paragraph may have line breaks, of one kind; in a line each becomes a blank before its length is judged [accounts-3]", () => {
    const line = (text: string) => Either.getOrUndefined(Schema.decodeEither(Text.line(3, 7))(text))
    expect(Schema.decodeSync(Text.paragraphs(1, 20))("one\r\ntwo\n")).toBe("one\ntwo")
    for (const text of ["one\ntwo", "one\r\ntwo", "one \n\n\t two", "\none\u2028two\r", "one\u0085two\v\f"]) {
      expect(line(text)).toBe("one two")
    }
    expect(["1\n\n\n", "one\ntwos", "one\u0000two"].map(line)).toEqual([undefined, undefined, undefined])
    expect(line("1\n\n\n2")).toBe("1 2")
    expect(Either.isLeft(Schema.decodeEither(Text.paragraphs(1, 20))("one\u0000two"))).toBe(true)
  })
})

describe("roles", () => {
  const account: Account.Account = {
    id: "usr_1" as never,
    email: Account.Email.make("a@b.c"),
    displayName: Account.DisplayName.make("A"),
    roles: ["admin"],
    createdAt: 0 as never,
    suspendedAt: null,
    confirmedAt: null,
    timeZone: null,
    language: null,
    browserLanguage: null,
    testOf: null
  }

  it("are added, never repeated, always in one order", () => {
    expect(Account.withRoles(account, ["developer", "admin"]).roles).toEqual(["developer", "admin"])
    expect(Account.withRoles(account, []).roles).toEqual(["admin"])
  })
})
