import * as EntryWords from "@place-access/adapters-http/access-log/EntryWords"
import { untranslated } from "@place-access/domain/languages"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type SourceText, textsOfField, variants } from "../../../domain/test/languages/sources.js"

const HTTP = fileURLToPath(new URL("../../src", import.meta.url))

const unknown = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => untranslated(text, "de").length > 0)

const isKnown = (text: SourceText): boolean => variants(text).some((one) => unknown([one.trim()]).length === 0)
const textOf = ({ file, line, parts }: SourceText): string => `${file}:${line} ${parts.join("{}")}`

describe("the German of what the adapter writes for people [languages-2]", () => {
  it("what an app did, and the result", () => {
    const outcomes = Object.entries(EntryWords.OUTCOMES).flatMap(([error, { label, why }]) => [
      label,
      why,
      EntryWords.outcomeText(error)
    ])
    expect(unknown([...Object.values(EntryWords.DEEDS), ...outcomes, EntryWords.outcomeText(null)])).toEqual([])
  })

  it("what an app learned, as handlers write it", () => {
    const texts = textsOfField(HTTP, ["disclosed", "discloses"])
    expect(texts.length).toBeGreaterThan(6)
    expect(texts.filter((text) => !isKnown(text)).map(textOf)).toEqual([])
  })

  it("moments stand after a colon or in parentheses, never after seit or von", () => {
    const folder = `${HTTP}/languages/de`
    const lines = readdirSync(folder).flatMap((file) =>
      readFileSync(`${folder}/${file}`, "utf8")
        .split("\n")
        .map((line) => `${file}: ${line.trim()}`)
    )
    expect(lines.filter((line) => /\b(?:seit|von) \$\{(?:at|since|from|began)\}/i.test(line))).toEqual([])
  })

  it("a scope is a Scope on the pages of developers, reviewers and admins, as in the glossary", () => {
    const files = ["admin", "developer", "purposes", "review", "webhooks"]
    const folder = `${HTTP}/languages/de`
    expect(files.filter((file) => /Berechtigung/.test(readFileSync(`${folder}/${file}.ts`, "utf8")))).toEqual([])
  })

  it("a percent sign follows its number at once in English, and after a space in German", () => {
    const found = (language: string, wrong: RegExp) =>
      readdirSync(`${HTTP}/languages/${language}`).flatMap((file) =>
        [...readFileSync(`${HTTP}/languages/${language}/${file}`, "utf8").matchAll(wrong)].map(([text]) => text)
      )
    expect(found("en", /(?:\d|\$\{[^}]*\}) %(?! ?[\d(])[^`]*/g)).toEqual([])
    expect(found("de", /(?:\d|\$\{[^}]*\})%[^`]*/g)).toEqual([])
  })

  it("faults of fields, which forms share with the API", () => {
    const texts = textsOfField(HTTP, ["message", "Invalid.of"]).filter(
      // Leaves out answers of the API, texts of the client and of the log, which are in English only, and texts of
      // pages, which are in the language files.
      ({ file }) =>
        !/^(pages\/|wire\/(Errors|PassingFailure)|accounts\/AccountsApi|openapi\/|docs\/|client\/)/.test(file)
    )
    expect(texts.length).toBeGreaterThan(5)
    expect(texts.filter((text) => !isKnown(text)).map(textOf)).toEqual([])
  })
})
