import { ConfigReport, Setting, Settings } from "@place-access/worker"
import { describe, expect, it } from "@effect/vitest"
import { type Config, ConfigProvider, Effect, Either, Option, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const KEY = Buffer.alloc(32, 7).toString("base64")

const read = <A>(config: Config.Config<A>, environment: Readonly<Record<string, string>>) =>
  ConfigReport.read(config).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
    Effect.either,
    Effect.runSync
  )
const refusal = (config: Config.Config<unknown>, environment: Readonly<Record<string, string>>): string =>
  Either.match(read(config, environment), { onLeft: ({ message }) => message, onRight: () => "accepted" })

describe("where the data is kept", () => {
  it("is the embedded database in ./data when nothing is set", () => {
    expect(read(Settings.storage, {})).toEqual(
      Either.right({ _tag: "Embedded", dataDir: "./data", keys: Option.none() })
    )
  })

  it("git ignores ./data, which has the keys", () => {
    const ignored = readFileSync(join(import.meta.dirname, "../../../../.gitignore"), "utf8").split("\n")
    expect(ignored).toContain("/data/")
  })

  it("an empty variable is one that is not set", () => {
    expect(read(Settings.storage, { DATABASE_URL: "", DATA_DIR: " ", SECRET_KEYS: "" })).toEqual(
      read(Settings.storage, {})
    )
  })

  it("is PostgreSQL with DATABASE_URL and SECRET_KEYS", () => {
    const url = "postgres://me:secret@db:5432/places"
    const storage = Either.getOrThrow(
      read(Settings.storage, { DATABASE_URL: url, DATABASE_POOL: "25", SECRET_KEYS: `k1:${KEY}` })
    )
    expect(storage).toMatchObject({ _tag: "Postgres", poolSize: 25, keys: [{ id: "k1" }] })
    expect(storage._tag === "Postgres" && Redacted.value(storage.url)).toBe(url)
    expect(JSON.stringify(storage)).not.toContain("secret@")
  })

  it("with DATABASE_URL refuses to start without SECRET_KEYS, saying how to make one", () => {
    const message = refusal(Settings.storage, { DATABASE_URL: "postgres://db/places" })
    expect(message).toContain("SECRET_KEYS is required with DATABASE_URL")
    expect(message).toContain("openssl rand -base64 32")
  })

  it("refuses what is no PostgreSQL address, without repeating it: it may hold a password", () => {
    for (const url of ["mysql://me:hunter2@db/places", "hunter2", "db:5432"]) {
      const message = refusal(Settings.storage, { DATABASE_URL: url, SECRET_KEYS: `k1:${KEY}` })
      expect(message).toContain("DATABASE_URL must be an address such as postgres://")
      expect(message).not.toContain("hunter2")
    }
  })

  it.each([
    [KEY.slice(0, 20), "key 1 must be kid:base64key, where kid is 1 to 32 of A-Z, a-z, 0-9, _ and -"],
    [`k1:${KEY},a.b:${KEY}`, "key 2 must be kid:base64key, where kid is 1 to 32 of A-Z, a-z, 0-9, _ and -"],
    [`k1:${KEY.slice(0, 20)}`, 'the key "k1" must be 32 bytes in base64 (openssl rand -base64 32)'],
    [`k1:${KEY},k1:${KEY}`, 'the key id "k1" is used twice']
  ])("a wrong SECRET_KEYS is refused in a sentence that does not repeat a key (%#)", (keys, fault) => {
    expect(refusal(Settings.storage, { SECRET_KEYS: keys })).toBe(
      `The settings in the environment cannot be used:\n  SECRET_KEYS is wrong: ${fault}`
    )
  })

  it("keeps at least four connections: with fewer a busy pool stalls", () => {
    const environment = { DATABASE_URL: "postgres://db/places", SECRET_KEYS: `k1:${KEY}` }
    expect(refusal(Settings.storage, { ...environment, DATABASE_POOL: "3" })).toContain(
      'DATABASE_POOL must be a whole number from 4 to 500, but is "3"'
    )
    expect(refusal(Settings.storage, { ...environment, DATABASE_POOL: "4" })).toBe("accepted")
  })
})

describe("the addresses of the service", () => {
  const accepted = (environment: Readonly<Record<string, string>>) =>
    Either.getOrThrow(read(Settings.addresses, environment))

  it("BASE_URL is a scheme and a host, because the pages and the API are at the root of their host [settings-4]", () => {
    for (const [text, address] of [
      ["https://places.example.com", "https://places.example.com"],
      ["https://Places.example.com:443//", "https://places.example.com"],
      ["http://[::1]:8080/", "http://[::1]:8080"]
    ] as const) {
      expect(accepted({ BASE_URL: text }).baseUrl).toBe(address)
    }
    for (const text of [
      "https://places.example.com/secret-path",
      "https://places.example.com//secret-path/",
      "https://places.example.com?secret-path",
      "https://places.example.com/#secret-path",
      "https://secret-path@places.example.com",
      "ftp://places.example.com/secret-path"
    ]) {
      const message = refusal(Settings.addresses, { BASE_URL: text })
      expect(message).toContain(
        "BASE_URL must be an address such as https://places.example.com, without path, query, fragment or credentials"
      )
      expect(message).not.toContain("secret-path")
    }
  })

  it.each(["AUTH_URL", "USER_PORTAL_URL"])(
    "%s may have a path, of characters that the router takes as they are [settings-4]",
    (name) => {
      const given = accepted({ [name]: "https://places.example.com/of/my-people_1.0~x/" })
      expect([given.authUrl, given.userPortalUrl]).toContain("https://places.example.com/of/my-people_1.0~x")
      for (const path of [":user", "*", "a%20b", "a b", "a//b", "münchen", "a;b"]) {
        expect(refusal(Settings.addresses, { [name]: `https://places.example.com/${path}` })).toContain(
          `${name} must be an address such as https://places.example.com/people, with a path of letters, digits`
        )
      }
    }
  )
})

describe("a setting that cannot be used", () => {
  it("is named, with what is expected and what was given", () => {
    expect(refusal(Settings.logging, { LOG_LEVEL: "loud" })).toContain(
      'LOG_LEVEL must be trace, debug, info, warn or error, but is "loud"'
    )
    expect(refusal(Settings.logging, { LOG_FORMAT: "xml" })).toContain(
      'LOG_FORMAT must be pretty or json, but is "xml"'
    )
    expect(refusal(Settings.webhooks, { ALLOW_INSECURE_WEBHOOKS: "yes" })).toContain(
      'ALLOW_INSECURE_WEBHOOKS must be true or false, but is "yes"'
    )
  })

  it("is reported together with every other one, each on a line", () => {
    const message = refusal(Settings.logging, { LOG_LEVEL: "loud", LOG_FORMAT: "xml" })
    expect(message.split("\n")).toHaveLength(3)
    expect(message).toContain("LOG_LEVEL")
    expect(message).toContain("LOG_FORMAT")
  })
})

describe("parsers", () => {
  it("whole numbers: within bounds, digits only", () => {
    const port = Setting.integer(1, 65_535)
    for (const text of ["1", "8080", "65535"]) expect(port(text)).toEqual(Either.right(Number(text)))
    for (const text of ["0", "65536", "80.5", "-1", "1e3", "0x50", "eighty", "99999999999999999999"]) {
      expect(Either.isLeft(port(text))).toBe(true)
    }
  })

  it("words and booleans: in any case", () => {
    expect(Setting.boolean("TRUE")).toEqual(Either.right(true))
    expect(Setting.boolean("False")).toEqual(Either.right(false))
    expect(Either.isLeft(Setting.boolean("1"))).toBe(true)
    expect(Setting.oneOf("open", "closed")("Open")).toEqual(Either.right("open"))
  })

  it("addresses: http or https, without what cannot be joined to, and without trailing slashes", () => {
    expect(Setting.httpUrl("https://places.example.com/")).toEqual(Either.right("https://places.example.com"))
    expect(Setting.httpUrl("http://localhost:8080/portal//")).toEqual(Either.right("http://localhost:8080/portal"))
    for (const text of [
      "places.example.com",
      "ftp://places.example.com",
      "https://places.example.com/?a=b",
      "https://places.example.com/?",
      "https://places.example.com/#x",
      "https://me:pw@places.example.com",
      "/portal"
    ]) {
      expect(Either.isLeft(Setting.httpUrl(text))).toBe(true)
    }
  })
})
