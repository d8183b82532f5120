import { Purpose, PurposeGate } from "@place-access/domain/purposes"
import { Scope, Timestamp } from "@place-access/domain/shared"
import { Fixtures } from "@place-access/domain/testing"
import { Either, FastCheck as fc, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"

const key = (text: string) => Purpose.PurposeKey.make(text)
const terms = (scopes: Purpose.PurposeTerms["scopes"], description = "Shows you a map"): Purpose.PurposeTerms => ({
  description,
  scopes,
  expectedDailyVolume: 10
})
const purpose = (overrides: Fixtures.PurposeOverrides = {}): Purpose.Purpose =>
  Fixtures.overridden(
    Purpose.draft("app_1" as never, "pps_1" as never, key("find_me"), terms(["location.lookup"]), 0 as never),
    overrides
  )
const archived = { archivedAt: 0 as never }

describe("the wording that was in force at a time [M13]", () => {
  const at = (millis: number) => Timestamp.make(millis)
  const approval = (millis: number, description: string, purposeId: string = "pps_1") => ({
    purposeId: purposeId as never,
    at: at(millis),
    description
  })
  const edited = purpose({
    terms: terms(["location.lookup"], "Newest"),
    approved: terms(["location.lookup"], "Second")
  })

  it("is that of the last approval until then, of this purpose alone; before the first approval that of the first", () => {
    const approvals = [
      approval(3, "Of another purpose", "pps_2"),
      approval(5, "First"),
      approval(7, "Of another purpose", "pps_2"),
      approval(9, "Second")
    ]
    const shown = [4, 5, 8, 9, 10].map((millis) => Purpose.wordingAt(edited, approvals, at(millis)))
    expect(shown).toEqual(["First", "First", "First", "Second", "Second"])
  })

  it("without a stored approval: the approved description, or else the newest one", () => {
    const others = [approval(3, "Of another purpose", "pps_2")]
    expect(Purpose.wordingAt(edited, others, at(4))).toBe("Second")
    expect(Purpose.wordingAt(purpose(), [], at(4))).toBe("Shows you a map")
  })
})

describe("fields of a purpose [§2.4]", () => {
  const accepts = <A, I>(schema: Schema.Schema<A, I>, value: unknown) =>
    Either.isRight(Schema.decodeUnknownEither(schema)(value))

  it.each([
    ["abc", true],
    ["a_1", true],
    [`a${"_".repeat(39)}`, true],
    ["ab", false],
    [`a${"b".repeat(40)}`, false],
    ["Abc", false],
    ["1bc", false],
    ["_bc", false],
    ["a-c", false],
    ["abc\n", false],
    ["äbc", false],
    ["", false]
  ])("key %j: %s [§8-purpose-key]", (text, good) => {
    expect(accepts(Purpose.PurposeKey, text)).toBe(good)
  })

  it("description 10 to 200 characters, a line break counted as a blank; volume a whole number from 1 to 10,000; scopes the sensitive ones [§8-purpose-description, §8-volume]", () => {
    const good = { description: "x".repeat(10), scopes: ["location.lookup"], expectedDailyVolume: 1 }
    const variants: ReadonlyArray<readonly [Record<string, unknown>, boolean]> = [
      [{}, true],
      [{ description: "x".repeat(200) }, true],
      [{ description: "🦉".repeat(200) }, true],
      [{ description: "x".repeat(201) }, false],
      [{ description: ` ${"x".repeat(9)} ` }, false],
      [{ description: "two\nlines of text" }, true],
      [{ description: "1\n\n\n\n\n\n\n\n\n\n2" }, false],
      [{ expectedDailyVolume: 10_000 }, true],
      [{ expectedDailyVolume: 0 }, false],
      [{ expectedDailyVolume: 10_001 }, false],
      [{ expectedDailyVolume: 1.5 }, false],
      [{ expectedDailyVolume: Number.NaN }, false],
      [{ expectedDailyVolume: "5" }, false],
      [{ scopes: [] }, false],
      [{ scopes: [...Scope.sensitive] }, true],
      [{ scopes: ["location.place.current"] }, false],
      [{ scopes: ["location.unknown"] }, false]
    ]
    for (const [change, expected] of variants)
      expect(accepts(Purpose.PurposeTerms, { ...good, ...change })).toBe(expected)
  })

  it("every fault is reported at once", () => {
    const result = Schema.decodeUnknownEither(Purpose.PurposeTerms, { errors: "all" })({
      description: "short",
      scopes: [],
      expectedDailyVolume: 0
    })
    const issues = Either.isLeft(result) ? ParseResult.ArrayFormatter.formatErrorSync(result.left) : []
    expect(issues.map(({ path }) => path.join())).toEqual(["description", "scopes", "expectedDailyVolume"])
  })

  it("a new purpose is a draft, its scopes in one order and once each", () => {
    const made = Purpose.draft(
      "app_1" as never,
      "pps_1" as never,
      key("abc"),
      terms(["location.lookup", "location.latest.read", "location.lookup"]),
      7 as never
    )
    expect(made).toMatchObject({ status: "draft", approved: null, archivedAt: null, createdAt: 7 })
    expect(made.terms.scopes).toEqual(["location.latest.read", "location.lookup"])
  })
})

describe("which purposes an app can use [§3.2, §4.4]", () => {
  const approved = terms(["location.lookup"], "What was approved")
  const edited = terms(["location.history.read"], "What is asked for now")

  it("sandbox: a draft at once; production: approved ones only", () => {
    for (const status of ["draft", "in_review", "rejected"] as const) {
      expect(Purpose.usableTerms(purpose({ status }), "sandbox")).toEqual(purpose().terms)
      expect(Purpose.usableTerms(purpose({ status }), "in_review")).toEqual(purpose().terms)
      expect(Purpose.usableTerms(purpose({ status }), "production")).toBeUndefined()
    }
    const done = purpose({ status: "approved", terms: approved, approved })
    expect(Purpose.usableTerms(done, "production")).toEqual(approved)
  })

  it("while an edit is in review the approved wording and scopes go on working [purposes-1]", () => {
    const inReview = purpose({ status: "in_review", terms: edited, approved })
    expect(Purpose.usableTerms(inReview, "production")).toEqual(approved)
    expect(Purpose.coveredScopes([inReview], "production")).toEqual(["location.lookup"])
  })

  it("an archived one is of no use to anybody", () => {
    expect(Purpose.usableTerms(purpose({ ...archived, approved }), "production")).toBeUndefined()
    expect(Purpose.usableTerms(purpose(archived), "sandbox")).toBeUndefined()
  })

  it("users are shown the wording that counts, with its key", () => {
    const list = [
      purpose({ key: key("one") }),
      purpose({ key: key("two"), terms: edited, approved }),
      purpose(archived)
    ]
    expect(Purpose.usable(list, "sandbox")).toEqual([
      { id: "pps_1", key: "one", terms: purpose().terms },
      { id: "pps_1", key: "two", terms: approved }
    ])
    expect(Purpose.usable(list, "production")).toEqual([{ id: "pps_1", key: "two", terms: approved }])
  })
})

describe("purpose gate (Spec §4.4, invalid_purpose) [§7-invalid-purpose]", () => {
  const approved = terms(["location.latest.read"])
  const all = [
    purpose({ key: key("draft_one") }),
    purpose({ key: key("good_one"), status: "approved", terms: approved, approved }),
    purpose({ key: key("gone_one"), ...archived, approved })
  ]
  const reason = (
    ...[app, asked, scope]: [Parameters<typeof PurposeGate.decide>[1], string | undefined, Scope.SensitiveScope]
  ) => {
    const verdict = PurposeGate.decide(all, app, asked, scope)
    return verdict._tag === "Refused" ? verdict.reason : verdict.purpose.key
  }

  it.each([
    ["sandbox", undefined, "location.lookup", "missing"],
    ["sandbox", "", "location.lookup", "missing"],
    ["sandbox", "no_such", "location.lookup", "unknown"],
    ["sandbox", "Draft_one", "location.lookup", "unknown"],
    ["sandbox", "draft_one", "location.lookup", "draft_one"],
    ["in_review", "draft_one", "location.lookup", "draft_one"],
    ["production", "draft_one", "location.lookup", "not_approved"],
    ["sandbox", "draft_one", "location.latest.read", "scope_not_covered"],
    ["sandbox", "good_one", "location.latest.read", "good_one"],
    ["production", "good_one", "location.latest.read", "good_one"],
    ["production", "good_one", "location.history.read", "scope_not_covered"],
    ["sandbox", "gone_one", "location.latest.read", "archived"],
    ["production", "gone_one", "location.latest.read", "archived"]
  ] as const)("%s app, %s for %s: %s", (app, asked, scope, expected) => {
    expect(reason(app, asked, scope)).toBe(expected)
  })

  it("what consent may ask for is what some key opens [purposes-3]", () => {
    const scopesOf = fc.subarray([...Scope.sensitive], { minLength: 1 })
    const anyPurpose = fc.record({
      status: fc.constantFrom(...Purpose.LiveStatus.literals),
      terms: scopesOf.map((scopes) => terms(scopes)),
      approved: fc.option(scopesOf.map((scopes) => terms(scopes))),
      archivedAt: fc.constantFrom(undefined, 0 as never)
    })
    fc.assert(
      fc.property(
        fc.array(anyPurpose, { maxLength: 4 }),
        fc.constantFrom("sandbox" as const, "in_review" as const, "production" as const),
        (parts, app) => {
          const purposes = parts.map((part, index) => purpose({ ...part, key: key(`key_${index}`) }))
          const open = Scope.sensitive.filter((scope) =>
            purposes.some((one) => PurposeGate.decide(purposes, app, one.key, scope)._tag === "Allowed")
          )
          expect(Purpose.coveredScopes(purposes, app)).toEqual(open)
        }
      )
    )
  })
})
