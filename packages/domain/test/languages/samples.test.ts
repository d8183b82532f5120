import { translate, untranslated } from "@place-access/domain/languages"
import { describe, expect, it } from "@effect/vitest"
import { facts, type Facts, MAILS, textsOf } from "./mailSamples.js"
import { TEXTS } from "./textSamples.js"

/**
 * Whether the service wrote the line. Other lines are the note of a reviewer, which the samples contain, or the address
 * of an endpoint, which a stranger chose.
 */
const isOurs = (line: string, { note }: Facts): boolean =>
  line !== note && line !== `"${note}"` && !line.startsWith("https://a.example")

const times = (text: string, part: string): number => text.split(part).length - 1

/** A few runs are enough: each run makes every form of every mail that a source file can write. */
const RUNS = { fastCheck: { numRuns: 30 } }

const isSaid = (text: string, given: Facts): void => {
  expect(untranslated(text, "de").filter((line) => isOurs(line, given))).toEqual([])
  const german = translate(text, "de")
  for (const name of [given.name, given.email, given.note]) {
    expect(times(german, name)).toBeGreaterThanOrEqual(times(text, name))
  }
}

describe("the German of every mail [languages-2]", () => {
  for (const [file, make] of Object.entries(MAILS)) {
    it.prop(
      `${file}: every text is known, and names stay as they are`,
      [facts],
      ([given]) => {
        for (const text of make(given).flatMap(textsOf)) isSaid(text, given)
      },
      RUNS
    )
  }
})

describe("the German of the access log and of what is put together from parts [languages-2]", () => {
  for (const [file, make] of Object.entries(TEXTS)) {
    it.prop(
      `${file}: every text is known, and names stay as they are`,
      [facts],
      ([given]) => {
        const texts = make(given)
        expect(texts.length).toBeGreaterThan(0)
        for (const text of texts) isSaid(text, given)
      },
      RUNS
    )
  }
})
