import { translate, untranslated } from "@place-access/domain/languages"
import { TimeZone, Words } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import { pairs } from "../../src/languages/de/Pairs.js"
import * as Template from "../../src/languages/Template.js"

const AT = "31 March 2026 at 12:00 UTC"
const ADDED = (name: string) =>
  `On ${AT} the passkey “${name}” was added to your account. It signs you in, with or without the password.`
const GERMAN = (name: string) =>
  `Am ${AT} wurde der Passkey „${name}“ zu Ihrem Konto hinzugefügt. Er meldet Sie an, mit oder ohne Passwort.`

describe("translate [languages-1, languages-2]", () => {
  it("says a text of the domain in German, and leaves names and moments as they are", () => {
    expect(translate(ADDED("My key"), "de")).toBe(GERMAN("My key"))
    expect(translate(ADDED("My key"), "en")).toBe(ADDED("My key"))
  })

  it("says a body by paragraph, line and sentence, and leaves what nobody knows", () => {
    const body = `${ADDED("Key")}\n\nIn the last seven days:\n- Spy: 3 requests\n- See your latest exact location\nA note. Of somebody.\n\nYour app was revoked. Nobody knows this. It cannot be undone. With this address you can make a new account at any time.`
    expect(translate(body, "de")).toBe(
      `${GERMAN("Key")}\n\nIn den letzten sieben Tagen:\n- Spy: 3 Abfragen\n- Ihren letzten genauen Standort sehen\nA note. Of somebody.\n\nIhre App wurde widerrufen. Nobody knows this. Das lässt sich nicht rückgängig machen. Mit dieser Adresse können Sie jederzeit ein neues Konto anlegen.`
    )
    expect(untranslated(body, "de")).toEqual(["A note.", "Of somebody.", "Nobody knows this."])
  })

  it("leaves a name that looks like a text of ours", () => {
    const name = `x” was added to your account. On ${AT} you disconnected the app "y". Your app was revoked. {name}`
    expect(translate(ADDED(name), "de")).toBe(GERMAN(name))
    expect(translate(`You were at Home on Monday on ${AT}`, "de")).toBe(`Sie waren am Ort „Home on Monday“ (${AT})`)
    expect(translate("2 visits to “Bed and Breakfast” and “Inn”", "de")).toBe(
      "2 Besuche: „Bed and Breakfast“ und „Inn“"
    )
  })

  it("says several faults of one field", () => {
    expect(translate("must not be empty, must be at most 80 characters", "de")).toBe(
      "darf nicht leer sein, darf höchstens 80 Zeichen haben"
    )
    expect(translate("must not be empty, and so on", "de")).toBe("must not be empty, and so on")
  })

  it("says a text within a text, but not within that", () => {
    expect(translate("nothing: “arrived at Home” came too late", "de")).toBe("nichts: „angekommen: Home“ kam zu spät")
    const inner = "nothing: “left Home” was not sent"
    expect(translate(`nothing: “nothing: “${inner}” came too late” came too late`, "de")).toContain("left Home")
  })

  it("is finished with names of 10,000 characters that repeat our own words", () => {
    const hostile = [
      "a",
      ". ",
      "” was added to your account. ",
      `On ${AT} the passkey “`,
      " and “",
      "nothing: “",
      "- ",
      " on 31 March 2026 at 12:00 UT",
      "You were at "
    ].map((part) => part.repeat(Math.ceil(10_000 / part.length)))
    for (const name of hostile) {
      expect(translate(ADDED(name), "de")).toBe(GERMAN(name))
      for (const text of [name, `You were at ${name}`, `2 visits to “${name}” and “${name}”`, `nothing: “${name}”`]) {
        expect(translate(text, "de")).toContain(name.slice(100, 200))
      }
    }
  })

  it.prop("never fails, and a text without a pair stays as it is", [fc.fullUnicodeString()], ([text]) => {
    expect(translate(`Ж${text}`, "de")).toBe(`Ж${text}`)
  })

  it("moments are written last, in the reader's zone and language", () => {
    const berlin = Option.getOrThrow(TimeZone.find("Europe/Berlin"))
    const german = translate(`The connection ends on ${AT}.`, "de")
    expect(Words.inZone(german, berlin, "de")).toBe("Die Verbindung endet am 31. März 2026 um 14:00 (Europe/Berlin).")
    expect(Words.inZone(german, null, "de")).toBe("Die Verbindung endet am 31. März 2026 um 12:00 UTC.")
    expect(Words.inZone(`The connection ends on ${AT}.`, null)).toBe(`The connection ends on ${AT}.`)
  })
})

describe("the pairs [languages-2]", () => {
  const slotsOf = (source: string) => {
    const { parts } = Template.parse(source)
    return parts.map(({ slot: { kind, name } }) => `${name}:${kind}`).sort()
  }

  it("the German has the same slots", () => {
    const differs = pairs.filter(({ de, en }) => slotsOf(de).join() !== slotsOf(en).join())
    expect(differs.map(({ en }) => en)).toEqual([])
  })

  it("no text has two translations", () => {
    const texts = pairs.map(({ en }) => en)
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
  })

  it("a pair is found by its own English, and says its German", () => {
    const fill = (source: string) =>
      source.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (_, name: string, kind: string | undefined) =>
        kind === "number" ? "7" : kind === "moment" ? AT : `Ж${name}`
      )
    expect(pairs.filter(({ de, en }) => translate(fill(en), "de") !== fill(de)).map(({ en }) => en)).toEqual([])
  })
})
