import { html } from "@place-access/adapters-http/html/Html"
import { textsIn } from "@place-access/adapters-http/languages/index"
import { Timestamp } from "@place-access/domain/shared"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import * as english from "../../src/languages/en/index.js"
import { leaves } from "../support/leaves.js"

const all = leaves(english)

/** Labels that people did not understand, each with the label that pages have instead. */
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

const ENGLISH = join(import.meta.dirname, "../../src/languages/en")

/**
 * Every text in the English files. A text with values counts as several pieces, which are the parts between the values.
 */
const pieces = readdirSync(ENGLISH).flatMap((file) => {
  const found: Array<string> = []
  const visit = (node: ts.Node): void => {
    // A property name in a language file names a text and is not itself a text, so it is left out.
    const isName = ts.isPropertyAssignment(node.parent ?? node) && (node.parent as ts.PropertyAssignment).name === node
    if (isName) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      found.push(`${file}: ${node.text}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(ENGLISH, file), "utf8"), ts.ScriptTarget.Latest, true))
  return found
})

/** Phrases that contain forbidden words of the test below, but that everybody understands. The test allows them. */
const COMMON = new RegExp(
  [
    "made a mistake|you made|makes (?:you|visits|rules) \\w+|make (?:it a place|your change|somebody)",
    "take (?:(?:it|everything) back|your data along|my data along|the app over)|must not take"
  ].join("|"),
  "gi"
)

describe("texts of pages", () => {
  it("say create, remove and centre, not make, take and middle [wire-2]", () => {
    expect(pieces.length).toBeGreaterThan(1_000)
    expect(pieces.filter((text) => /\b(?:makes?|made|take|taken|middle)\b/i.test(text.replaceAll(COMMON, "")))).toEqual(
      []
    )
  })
})

describe("labels of pages", () => {
  it("are the words that people know [wire-2]", () => {
    expect(all.length).toBeGreaterThan(500)
    // Leaves out the texts for dates and times, because in these texts “May” is a month.
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

describe("counts on pages", () => {
  const textsFor = (language: "de" | "en", count: number) => {
    const { developer, rules, timeline, today } = textsIn(language)
    const settling = rules.outcomes.settling(html`X`, count, "Y").in({ language, zone: null, now: Timestamp.make(0) })
    const settles = rules.settles(html`X`, count).in({ language, zone: null, now: Timestamp.make(0) })
    return [
      timeline.calendar.locations(count),
      today.paused.some(count, 3),
      today.paused.all(count),
      today.paused.resume(count),
      developer.calls.unlisted(count),
      settles,
      settling.replaceAll(/\s+/g, " ")
    ]
  }

  it.each([
    [
      "en",
      1,
      [
        "1 location",
        "1 of 3 apps is paused",
        "Your app is paused",
        "Resume it",
        "1 call of the last 7 days came too fast to be listed. It is counted.",
        "X (1 second later, unless it was a wrong position)",
        "X: Y gets a notification when no reading of the next second says otherwise."
      ]
    ],
    [
      "en",
      2,
      [
        "2 locations",
        "2 of 3 apps are paused",
        "Your apps are paused",
        "Resume them",
        "2 calls of the last 7 days came too fast to be listed. They are counted.",
        "X (2 seconds later, unless it was a wrong position)",
        "X: Y gets a notification when no reading of the next 2 seconds says otherwise."
      ]
    ],
    [
      "de",
      1,
      [
        "1 Standort",
        "1 von 3 Apps ist pausiert",
        "Ihre App ist pausiert",
        "Fortsetzen",
        "1 Anfrage der letzten 7 Tage kam zu schnell und steht nicht hier. Gezählt ist sie.",
        "X (1 Sekunde später, außer die Position war falsch)",
        "X: Y bekommt eine Benachrichtigung, wenn keine Messung der nächsten Sekunde etwas anderes zeigt."
      ]
    ],
    [
      "de",
      2,
      [
        "2 Standorte",
        "2 von 3 Apps sind pausiert",
        "Ihre Apps sind pausiert",
        "Fortsetzen",
        "2 Anfragen der letzten 7 Tage kamen zu schnell und stehen nicht hier. Gezählt sind sie.",
        "X (2 Sekunden später, außer die Position war falsch)",
        "X: Y bekommt eine Benachrichtigung, wenn keine Messung der nächsten 2 Sekunden etwas anderes zeigt."
      ]
    ]
  ] as const)("in %s agree with their words: %i", (language, count, texts) => {
    expect(textsFor(language, count)).toEqual(texts)
  })
})
