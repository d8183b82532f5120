import { describe, expect, it } from "vitest"
import * as english from "../../src/languages/en/index.js"
import { leaves } from "../support/leaves.js"

const all = leaves(english)

/** Words that people did not understand, and the words that pages have instead. */
const RETIRED: Readonly<Record<string, string>> = {
  May: "Can",
  Made: "Created",
  Middle: "Centre",
  Taken: "Measured",
  Answer: "Response",
  Words: "Response",
  Goes: "Will be removed",
  Came: "Arrived",
  For: "Purpose, Scopes or Duration",
  Declares: "Requested scopes",
  "There are": "Stored"
}

describe("labels of pages", () => {
  it("are the words that people know [wire-2]", () => {
    expect(all.length).toBeGreaterThan(500)
    // The months and days of the week are names.
    const labels = all.filter(([path]) => !path.startsWith("time."))
    expect(labels.filter(([, text]) => Object.hasOwn(RETIRED, text))).toEqual([])
  })

  it("and hints begin with a capital letter, and only the first word has one [wire-2]", () => {
    const hints = all.filter(([path]) => /hint$/i.test(path))
    expect(hints.length).toBeGreaterThan(20)
    expect(hints.filter(([, text]) => /^[a-z]/.test(text))).toEqual([])
    const headings = all.filter(([path]) => /(?:heading|title)$/i.test(path))
    expect(headings.length).toBeGreaterThan(50)
    expect(headings.filter(([, text]) => /^(?!iPhone)[a-z]/.test(text))).toEqual([])
    expect(headings.filter(([, text]) => /^\S+(?: [A-Z][a-z]+){2}/.test(text))).toEqual([])
  })
})
