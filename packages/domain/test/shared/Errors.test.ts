import { Account } from "@place-access/domain/accounts"
import { Coordinates } from "@place-access/domain/places"
import { AppId, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Predicate, type Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url))

const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: readFileSync(join(SOURCES, file), "utf8") }))

interface ErrorClass {
  readonly _tag: string
  readonly fields: Schema.Struct.Fields
  readonly prototype: Error
}

const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === "function" && Predicate.hasProperty(value, "fields") && value.prototype instanceof Error

const errorsOf = async (file: string): Promise<ReadonlyArray<ErrorClass>> => {
  const exported: object = await import(/* @vite-ignore */ pathToFileURL(join(SOURCES, file)).href)
  return Object.values(exported).filter(isErrorClass)
}

/** The value of every field in these tests. */
const VALUE = "the value of a field"

/** The message of an error of this class. All fields of the error have the value `VALUE`. */
const messageOf = ({ fields, prototype }: ErrorClass): string => {
  const error: Error = Object.create(prototype)
  for (const name of Object.keys(fields)) Object.defineProperty(error, name, { value: VALUE })
  return error.message
}

/**
 * The errors whose message may contain the value of a field. This value is a code from a fixed list, or a text that was
 * written for the reader of the message. So it cannot contain private data.
 */
const SAYS_ITS_FIELD = ["AuthorizePage", "AuthorizeRedirect", "ConsentRefused", "PurposeRefused", "VaultError"]

describe("the errors of the domain", () => {
  it("have a message: one sentence, without the value of a field [errors-1]", async () => {
    const files = sources.filter(({ text }) => text.includes("Schema.TaggedError<")).map(({ file }) => file)
    const errors = (await Promise.all(files.map(errorsOf))).flat()
    const declared = sources.flatMap(({ text }) =>
      Array.from(text.matchAll(/Schema\.TaggedError<(\w+)>/g), ([, name]) => name)
    )
    expect(errors.map(({ _tag }) => _tag).sort()).toEqual(declared.sort())
    const saying = errors.filter((error) => messageOf(error).includes(VALUE))
    expect(saying.map(({ _tag }) => _tag).sort()).toEqual(SAYS_ITS_FIELD)
    const sentences = errors.filter(({ _tag }) => !SAYS_ITS_FIELD.includes(_tag)).map(messageOf)
    expect(sentences.filter((message) => !/^[A-Z][^.{}"]+$/.test(message))).toEqual([])
  })
})

describe("a value that is not of its type", () => {
  it.each([
    ["UserId", () => UserId.make("")],
    ["AppId", () => AppId.make("no id")],
    ["Timestamp", () => Timestamp.Timestamp.make(0.5)],
    ["Hash", () => Vault.Hash.make("0")]
  ])("is refused with the name of the type: %s [errors-1]", (name, make) => {
    expect(make).toThrow(new RegExp(`^${name}\\n`))
  })

  it("is refused with the sentence that a form shows, where the type has one [errors-1]", () => {
    expect(() => Coordinates.Latitude.make(91)).toThrow(/^must be a number from -90 to 90$/)
    expect(() => Account.Email.make("nobody")).toThrow(/^must be an e-mail address$/)
  })

  it("no module brands a schema without the name [errors-1]", () => {
    const others = sources.filter(({ file }) => file !== join("shared", "Errors.ts"))
    expect(others.filter(({ text }) => text.includes("Schema.brand(")).map(({ file }) => file)).toEqual([])
  })
})
