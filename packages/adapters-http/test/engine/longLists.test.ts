import { HttpApi } from "@effect/platform"
import { EndpointHeader } from "@place-access/domain/endpoints"
import { Event } from "@place-access/domain/events"
import { Scope } from "@place-access/domain/shared"
import { Effect, Either, Option, type ParseResult, Schema, SchemaAST } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "@place-access/adapters-http/Api"
import * as Decoder from "@place-access/adapters-http/engine/Decoder"
import * as Issues from "@place-access/adapters-http/wire/Issues"
import { startWorld, type World } from "../support/World.js"

/** A list that fails the test when its entries are read. */
const untouchable = (length: number): ReadonlyArray<unknown> =>
  new Proxy(Array.from({ length }), {
    get: (list, key) => {
      if (key === "length") return list.length
      throw new Error(`The entry ${String(key)} was read`)
    }
  })

interface ListOfRequest {
  readonly name: string
  readonly most: number
  /** The input of the schema, in which the list that `name` names has this value. */
  readonly with: (list: unknown) => unknown
}

/** Every list in the input of a schema. A list whose entries may be anything, or any text, has no limit. */
const listsIn = (ast: SchemaAST.AST, most = Number.NaN): ReadonlyArray<ListOfRequest> => {
  if (SchemaAST.isRefinement(ast)) {
    const own = Option.map(
      SchemaAST.getJSONSchemaAnnotation(ast),
      (schema) => (schema as { maxItems?: number }).maxItems
    )
    return listsIn(ast.from, Option.getOrUndefined(own) ?? most)
  }
  if (SchemaAST.isTransformation(ast)) return listsIn(ast.from, most)
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => listsIn(type, most))
  if (SchemaAST.isTupleType(ast)) {
    const entry = ast.rest[0]?.type
    if (entry === undefined || (Number.isNaN(most) && /^(?:unknown|string)$/.test(String(entry)))) return []
    const inner = listsIn(entry).map((sent) => ({
      ...sent,
      name: `[0]${sent.name}`,
      with: (list: unknown) => [sent.with(list)]
    }))
    return [{ name: "", most, with: (list) => list }, ...inner]
  }
  if (!SchemaAST.isTypeLiteral(ast)) return []
  const tags = ast.propertySignatures.flatMap(({ name, type }) =>
    SchemaAST.isLiteral(type) ? [[name, type.literal] as const] : []
  )
  return ast.propertySignatures.flatMap(({ name, type }) =>
    listsIn(type).map((sent) => ({
      ...sent,
      name: `${String(name)}${sent.name === "" || sent.name.startsWith("[") ? "" : "."}${sent.name}`,
      with: (list: unknown) => ({ ...Object.fromEntries(tags), [name]: sent.with(list) })
    }))
  )
}

const requests: Array<{
  readonly route: string
  readonly schema: Schema.Schema.AnyNoContext
  readonly sent: ListOfRequest
}> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    for (const part of [endpoint.payloadSchema, endpoint.urlParamsSchema]) {
      if (Option.isNone(part)) continue
      for (const sent of listsIn(part.value.ast)) {
        requests.push({ route: `${endpoint.method} ${endpoint.path}`, schema: part.value as never, sent })
      }
    }
  }
})

const issues = (schema: Schema.Schema.AnyNoContext, sent: unknown): ReadonlyArray<ParseResult.ArrayFormatterIssue> =>
  Either.match(Effect.runSync(Effect.either(Decoder.make(schema)(sent))), {
    onLeft: Decoder.issues,
    onRight: () => []
  })

describe("a list that is too long is refused before its entries are read, so that wrong entries cost nothing [M11]", () => {
  it("is in these requests", () => {
    expect(requests.map(({ route, sent }) => `${route} ${sent.name} ${sent.most}`)).toEqual(
      expect.arrayContaining([
        `POST /v1/developer/apps scopes ${Scope.all.length}`,
        `PATCH /v1/developer/apps/:app_id scopes ${Scope.all.length}`,
        `POST /v1/developer/apps/:app_id/webhooks events ${Event.SUBSCRIBABLE.length}`,
        `POST /v1/developer/apps/:app_id/webhooks headers ${EndpointHeader.MAX}`,
        "POST /v1/test-people/:person_id/trips locations 1000"
      ])
    )
  })

  it.each(requests)("$route: $sent.name", ({ schema, sent }) => {
    const [issue, ...others] = issues(schema, sent.with(untouchable(sent.most + 1)))
    expect(others).toEqual([])
    expect(Issues.messages([issue as never])).toEqual([
      expect.stringMatching(
        new RegExp(`^(?:the body|${sent.name.replace(/[[\]]/g, "\\$&")}) must \\w+ at most ${sent.most}\\b`)
      )
    ])
    expect(() => issues(schema, sent.with(untouchable(sent.most)))).toThrow("was read")
  })

  it("no schema of a request may have a list without a limit: the server would not start", () => {
    expect(() => Decoder.make(Schema.Struct({ names: Schema.Array(Schema.Literal("a", "b")) }))).toThrow("maxItems")
    expect(() => Decoder.make(Schema.Struct({ any: Schema.Array(Schema.Unknown) }))).not.toThrow()
  })

  it("a list that another form of the same body ignores is no fault", () => {
    const names = Schema.Array(Schema.Literal("a")).pipe(Schema.maxItems(1))
    const Body = Schema.Union(
      Schema.Struct({ kind: Schema.Literal("list"), names }),
      Schema.Struct({ kind: Schema.Literal("none") }),
      Schema.Null
    )
    const faults = (sent: unknown) => Issues.messages(issues(Body, sent))
    expect(faults({ kind: "list", names: untouchable(2) })).toEqual(["names must be at most 1"])
    expect(faults({ kind: "none", names: untouchable(2) })).toEqual([])
    expect(faults(null)).toEqual([])
    expect(faults({ kind: "list", names: "a" })).toEqual([expect.stringMatching(/^names must be an array/)])
  })
})

describe("the issues of a body [M11]", () => {
  it("get a text up to a maximum only, whatever the body has", () => {
    let texts = 0
    const Wrong = Schema.String.annotations({ message: () => `is wrong ${(texts += 1)}` })
    const Body = Schema.Struct({ all: Schema.Array(Wrong).pipe(Schema.maxItems(5_000)) }).annotations({
      parseOptions: { errors: "all" }
    })
    const found = issues(Body, { all: Array.from({ length: 5_000 }, () => 1) })
    expect([found.length, texts]).toEqual([Decoder.MAX_ISSUES, Decoder.MAX_ISSUES])
  })

  it("do not contain what was sent", () => {
    const [issue] = issues(Schema.Struct({ name: Schema.String }), { name: { secret: "c4n4ry" } })
    expect(JSON.stringify(issue)).not.toContain("c4n4ry")
  })
})

describe("over HTTP [M11]", () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.close())

  it("a new app with 20,000 wrong scopes: one fault", async () => {
    const person = await world.person()
    const scopes = Array.from({ length: 20_000 }, () => 1)
    const app = { name: "Coffee", description: "Finds good coffee near you.", scopes }
    const answer = await person.send("POST", "/v1/developer/apps", app)
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({ message: `scopes must be at most ${Scope.all.length}` })
    ])
  })

  it("1,000 places with two faults each: fifty faults, and the least number of the others", async () => {
    const person = await world.person()
    const places = Array.from({ length: 1_000 }, () => ({ id: 1, include_earlier_visits: 1 }))
    const answer = await person.send("PUT", "/v1/user/connections/con_unknown/places", { places })
    const { message } = answer.json as { readonly message: ReadonlyArray<string> }
    expect([answer.status, message.length, message[0]]).toEqual([400, 51, "places[0].id must be a string"])
    expect(message.at(-1)).toMatch(/^and at least 6\d\d more$/)
  })
})
