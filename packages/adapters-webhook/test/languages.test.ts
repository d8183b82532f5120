import { untranslated } from "@place-access/domain/languages"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { textsOfSources, variants } from "../../domain/test/languages/sources.js"

const SOURCES = fileURLToPath(new URL("../src", import.meta.url))
/** The source files with the texts that say why a webhook did not arrive. */
const FILES = ["HttpWebhookSender.ts", "Resolver.ts", "Trouble.ts"]

describe("the German of why a webhook did not arrive [languages-2]", () => {
  it("every text in the sources", () => {
    const texts = textsOfSources(SOURCES, (file) => FILES.includes(file))
    expect(texts.length).toBeGreaterThan(20)
    // The sources make one text, `the host name …`, of two parts; the second part is a constant. So the test looks for
    // a translation of each text alone, and of each text with this constant behind it.
    const endings = ["", "must resolve to public addresses only"]
    const isKnown = (text: (typeof texts)[number]) =>
      variants(text).some((one) => endings.some((ending) => untranslated(one + ending, "de").length === 0))
    expect(texts.filter((text) => !isKnown(text)).map(({ file, parts }) => `${file} ${parts.join("{}")}`)).toEqual([])
  })
})
