import { HttpApi } from "@effect/platform"
import { Api } from "@place-access/adapters-http/Api"
import { make, operations } from "@place-access/adapters-http/OpenApiDocument"
import { isObject, type Json, list, object, text } from "@place-access/adapters-http/openapi/Json"
import * as WorkedSignature from "@place-access/adapters-http/openapi/WorkedSignature"
import * as Snippets from "@place-access/adapters-http/pages/docs/verify/snippets"
import { MemoryWebhookSender } from "@place-access/domain/testing"
import { Effect, Option, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { optionsAt } from "./support/options.js"

const BASE = "https://access.place.test"
const document = make(Api, optionsAt(BASE, { version: "1.2.3" }))

const scratch = mkdtempSync(join(tmpdir(), "place-access-openapi-"))
afterAll(() => rmSync(scratch, { recursive: true }))

const ROOT = join(import.meta.dirname, "../../..")
const require = createRequire(import.meta.url)
const cli = join(dirname(require.resolve("@redocly/cli/package.json")), "bin/cli.js")

/** What the linter reports about a document, with the rules of redocly.yaml. */
const lint = (one: Json): ReadonlyArray<string> => {
  const file = join(scratch, "openapi.json")
  writeFileSync(file, JSON.stringify(one))
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [cli, "lint", "--config", join(ROOT, "redocly.yaml"), "--format", "json", "--max-problems", "1000", file],
    { encoding: "utf8", env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } }
  )
  if (stdout === "") throw new Error(stderr)
  const { problems } = JSON.parse(stdout) as {
    readonly problems: ReadonlyArray<{
      readonly ruleId: string
      readonly message: string
      readonly location: ReadonlyArray<{ readonly pointer?: string }>
    }>
  }
  if (problems.length === 0) expect(status).toBe(0)
  return problems.map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer ?? ""}: ${message}`)
}

describe("openapi.json and the linter", () => {
  it("the linter finds no problem [wire-1-openapi]", () => {
    expect(lint(document)).toEqual([])
  })

  it("would say of an example with a field too many, of a wrong one, and of an operation without a summary [wire-1-openapi]", () => {
    const broken = structuredClone(document)
    const operation = (path: string, method: string) => object(object(object(broken["paths"])[path])[method])
    const answer = (path: string) =>
      object(
        object(object(object(object(operation(path, "get")["responses"])["200"])["content"])["application/json"])[
          "example"
        ]
      )
    answer("/v1/me")["no_such_field"] = 1
    answer("/v1/answers/current-place")["state"] = "nowhere"
    delete operation("/v1/visits", "get")["summary"]
    expect(lint(broken).map((one) => one.split(" ")[0])).toEqual(
      expect.arrayContaining(["no-invalid-media-type-examples", "no-invalid-media-type-examples", "operation-summary"])
    )
  })
})

const examplesOf = (media: Json): ReadonlyArray<unknown> =>
  media["example"] === undefined
    ? Object.values(object(media["examples"])).map((one) => object(one)["value"])
    : [media["example"]]

interface Case {
  readonly name: string
  readonly schemas: ReadonlyArray<Schema.Schema.AnyNoContext>
  readonly examples: ReadonlyArray<unknown>
  /** Whether unknown fields are an error. Requests may have unknown fields. */
  readonly isExact: boolean
}

const cases: Array<Case> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, payloads, successes }) => {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
    const operation = object(object(object(document["paths"])[path])[endpoint.method.toLowerCase()])
    const body = object(object(operation["requestBody"])["content"])
    for (const [contentType, { ast }] of payloads) {
      if (contentType in body) {
        cases.push({
          name: `${endpoint.method} ${path} takes ${contentType}`,
          schemas: [Schema.make(ast)],
          examples: examplesOf(object(body[contentType])),
          isExact: false
        })
      }
    }
    for (const [status, { ast }] of successes) {
      const content = object(object(object(operation["responses"])[String(status)])["content"])
      if (Option.isSome(ast) && "application/json" in content) {
        cases.push({
          name: `${endpoint.method} ${path} answers ${status}`,
          schemas: [Schema.make(ast.value)],
          examples: examplesOf(object(content["application/json"])),
          isExact: true
        })
      }
    }
  }
})

/**
 * Every example of the document's operations, with the name of its parameter. A body's example has the name "".
 */
const everyExample = (): ReadonlyArray<readonly [place: string, name: string, example: unknown]> =>
  operations(document).flatMap(({ method, operation, path }) => {
    const of = `${method} ${path}`
    const parameters = list(operation["parameters"]).map(object)
    const bodies = [operation["requestBody"], ...Object.values(object(operation["responses"]))]
    return [
      ...parameters.map(({ example, name }) => [of, text(name), example] as const),
      ...bodies
        .flatMap((body) => Object.values(object(object(body)["content"])).flatMap((media) => examplesOf(object(media))))
        .map((example) => [of, "", example] as const)
    ]
  })

/** The fields of a value, at every depth, whose value is the name of the field itself. */
const selfNamed = (value: unknown, name: string): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap((one) => selfNamed(one, name))
    : isObject(value)
      ? Object.entries(value).flatMap(([field, inner]) => selfNamed(inner, field))
      : value === name && name !== ""
        ? [name]
        : []

describe("the examples are possible [wire-1-examples]", () => {
  it("no text is the name of its field: the examples know a value for it", () => {
    expect(everyExample().flatMap(([place, name, one]) => selfNamed(one, name).map((it) => `${place} ${it}`))).toEqual(
      []
    )
  })

  it("an answer has no field that is there in some cases only, such as the reason of an empty answer", () => {
    const withReason = everyExample().filter(([, , one]) => isObject(one) && one["reason"] === "paused")
    expect(withReason.map(([place]) => place)).toEqual([])
  })

  it("the app of a connection may use no scope that the user did not agree to", () => {
    const [, , read] = everyExample().find(
      ([place, , one]) => place === "GET /v1/user/connections/{id}" && isObject(one)
    )!
    const { agreed_scopes, held_scopes, pause, scopes } = object(read)
    expect(list(agreed_scopes)).toEqual(expect.arrayContaining([...list(held_scopes), ...list(scopes)]))
    expect(pause).toBeNull()
  })
})

/** Matches the operation whose body is a file. A file has no example. */
const FILES = /^POST \/v1\/user\/imports takes/

describe("the examples are what the contract reads and writes", () => {
  it.each(cases)("$name [wire-1-examples]", async ({ examples, isExact, name, schemas }) => {
    expect(examples.length > 0).toBe(!FILES.test(name))
    for (const example of examples) {
      for (const schema of schemas) {
        const decoded = Schema.decodeUnknown(schema, { onExcessProperty: isExact ? "error" : "ignore" })(example)
        // Decoding an endpoint's address asks the webhook sender whether it would post to this address.
        await Effect.runPromise(Effect.provide(decoded, MemoryWebhookSender.layer))
      }
    }
  })
})

const isInstalled = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0

describe("the ways to verify that /docs/webhooks shows", () => {
  const { at, body, header, secret } = WorkedSignature
  const forged = body.replace("ping", "pong")
  /**
   * A signature with an empty key. Anybody can make it, and a receiver that has forgotten to set its secret might
   * accept it.
   */
  const unkeyed = `t=1,v1=${createHmac("sha256", "").update(`1.${body}`).digest("hex")}`

  it("Node.js: genuine, forged, too old, rotated", async () => {
    const file = join(scratch, "snippet.mjs")
    writeFileSync(file, Snippets.NODE)
    const { isGenuine } = (await import(file)) as {
      readonly isGenuine: (
        body: Buffer,
        header: string | undefined,
        secret: string,
        toleranceS?: number,
        nowS?: number
      ) => boolean
    }
    const now = at / 1_000
    const ask = (text: string, sent: string | undefined, nowS: number) =>
      isGenuine(Buffer.from(text), sent, secret, 60, nowS)
    const rotated = header.replace(",", `,v1=${"0".repeat(64)},`)
    expect([
      ask(body, header, now),
      ask(body, rotated, now + 60),
      ask(forged, header, now),
      ask(body, header, now + 61),
      ask(body, header, now - 61),
      ask(body, "t=1", now),
      ask(body, `${header.slice(0, -1)}z`, now),
      ask(body, undefined, now)
    ]).toEqual([true, true, false, false, false, false, false, false])
    expect(isGenuine(Buffer.from(body), unkeyed, "", 60, 1)).toBe(false)
  })

  it("a shell with openssl computes the v1", ({ skip }) => {
    if (!isInstalled("openssl")) skip("openssl is not installed")
    const { stdout } = spawnSync("bash", ["-c", Snippets.SHELL], {
      encoding: "utf8",
      env: { ...process.env, BODY: body, T: String(Math.floor(at / 1_000)), SECRET: secret }
    })
    expect(header).toContain(`v1=${stdout.trim()}`)
    expect(stdout.trim()).toHaveLength(64)
  })

  it("Python: genuine, forged, too old", ({ skip }) => {
    if (!isInstalled("python3")) skip("python3 is not installed")
    const [now, given] = [Math.floor(at / 1_000), JSON.stringify([body, forged, header, secret, unkeyed])]
    const script = `${Snippets.PYTHON}
import json, sys
body, forged, header, secret, unkeyed = json.loads(sys.argv[1])
print([is_genuine(body.encode(), unkeyed, "", 60, 1)] + [is_genuine(b.encode(), h, secret, 60, n) for b, h, n in [
  (body, header, ${now}), (forged, header, ${now}), (body, header, ${now + 61}), (body, "t=1", 1),
  (body, None, 1), (body, "t=\u00b2,v1=\u00e9", 1), (body, "t=" + "9" * 5000, 1)]])`
    expect(spawnSync("python3", ["-c", script, given], { encoding: "utf8" }).stdout.trim()).toBe(
      "[False, True, False, False, False, False, False, False]"
    )
  })
})
