import { createClient } from "@hey-api/openapi-ts"
import openapiTS, { astToString } from "openapi-typescript"
import { InputData, JSONSchemaInput, quicktype } from "quicktype-core"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonBody } from "./support/wire.js"
import { startWorld, type World } from "./support/World.js"

// These tests check that code which generators make from openapi.json compiles under strict settings, has a type
// for each form of a schema, and can call a running service. The code is stored inside the repository, so that it finds
// its packages.

let world: World
let folder: string
let document: Record<string, unknown>
let token: string
let placeId: string

beforeAll(async () => {
  world = await startWorld()
  folder = mkdtempSync(join(import.meta.dirname, "generated-"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  document = (await world.call("/openapi.json")).json as Record<string, unknown>
  const { app, clientSecret } = await world.app(await world.person())
  const authorization = `Basic ${Buffer.from(`${app.id}:${clientSecret}`).toString("base64")}`
  const json = jsonBody({ places: [{ label: "Home", lat: 52.37, lon: 4.89 }] })
  const headers = { ...json.headers, authorization }
  const made = (await world.call("/v1/test-people", { ...json, method: "POST", headers })).json as {
    readonly id: string
    readonly tokens: { readonly access_token: string }
    readonly places: readonly [{ readonly id: string }]
  }
  token = made.tokens.access_token
  placeId = made.places[0].id
  const trip = jsonBody({ trip: "arrive", place_id: placeId })
  await world.call(`/v1/test-people/${made.id}/trips`, { ...trip, method: "POST", headers })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world.close()
})

const TSC = join(import.meta.dirname, "../../../node_modules/@typescript/native/bin/tsc")

/** Compiles a folder under strict settings; the compiler's complaints are in the error. */
const compile = (where: string, exactOptionalPropertyTypes: boolean): void => {
  const options = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes,
      noUncheckedIndexedAccess: true,
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      types: [],
      skipLibCheck: true,
      outDir: "out"
    },
    files: ["main.ts"]
  }
  writeFileSync(join(where, "tsconfig.json"), JSON.stringify(options))
  try {
    execFileSync(process.execPath, [TSC, "-p", where], { encoding: "utf8" })
  } catch (error) {
    throw new Error((error as { readonly stdout: string }).stdout, { cause: error })
  }
}

/** The function that the program of a test exports: it asks where the person is, and makes a rule. */
type Main = (baseUrl: string, token: string, placeId: string) => Promise<unknown>

const run = async (file: string): Promise<unknown> => {
  const { main } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { readonly main: Main }
  return main(world.url, token, placeId)
}

describe("the contract generates well [wire-3]", () => {
  it("openapi-typescript: forms are distinguished by their state, and a dwell rule needs its minutes", async () => {
    const where = join(folder, "openapi-typescript")
    mkdirSync(where)
    writeFileSync(join(where, "schema.ts"), astToString(await openapiTS(document as never)))
    writeFileSync(
      join(where, "main.ts"),
      `import createClient from "openapi-fetch"
import type { components, paths } from "./schema.js"

type Answer = components["schemas"]["CurrentPlace"]
export const label = (answer: Answer): string => (answer.state === "at_place" ? answer.place.label : answer.state)
export const kind: components["schemas"]["PlaceKind"] = "home"
export type Places = components["schemas"]["PlaceList"]
// @ts-expect-error A dwell rule needs its minutes.
export const dwell: components["schemas"]["NewPlaceRule"] = { type: "dwell", place_id: "plc_1" }

export const main = async (baseUrl: string, token: string, placeId: string) => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const { data } = await client.GET("/v1/answers/current-place")
  const rule = await client.POST("/v1/rules/place", { body: { type: "dwell", dwell_minutes: 30, place_id: placeId } })
  return [data?.state === "at_place" ? data.place.label : "none", rule.data?.type]
}
`
    )
    compile(where, true)
    expect(await run(join(where, "out/main.js"))).toEqual(["Home", "dwell"])
  })

  it("@hey-api/openapi-ts: named types and functions without dots, which make live calls", async () => {
    const where = join(folder, "hey-api")
    mkdirSync(where)
    await createClient({
      input: document as never,
      output: { path: join(where, "client"), postProcess: [] },
      plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
      logs: { level: "silent" }
    })
    writeFileSync(
      join(where, "main.ts"),
      `import { answersCurrentPlace, rulesCreatePlaceRule } from "./client/index.js"
import { createClient } from "./client/client/index.js"
import type { CurrentPlace, PlaceKind, PlaceList } from "./client/index.js"

export const label = (answer: CurrentPlace): string => (answer.state === "at_place" ? answer.place.label : answer.state)
export const kind: PlaceKind = "home"
export type Places = PlaceList

export const main = async (baseUrl: string, token: string, placeId: string) => {
  const client = createClient({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const { data } = await answersCurrentPlace({ client })
  const body = { type: "dwell", dwell_minutes: 30, place_id: placeId } as const
  const rule = await rulesCreatePlaceRule({ client, body })
  return [data === undefined ? "none" : label(data), rule.data?.type]
}
`
    )
    // The generator's own code, which does not depend on the contract, does not compile with
    // `exactOptionalPropertyTypes`, so that option is off here.
    compile(where, false)
    expect(await run(join(where, "out/main.js"))).toEqual(["Home", "dwell"])
  })

  it.skipIf(!hasPython())("quicktype: classes for Python, which read live answers", async () => {
    const where = join(folder, "python")
    mkdirSync(where)
    const { schemas } = document["components"] as { readonly schemas: Record<string, unknown> }
    const definitions = JSON.parse(
      JSON.stringify(schemas).replaceAll("#/components/schemas/", "#/definitions/")
    ) as object
    const source = new JSONSchemaInput(undefined)
    for (const name of ["SharedPlaces", "TestPersonList"]) {
      await source.addSource({ name, schema: JSON.stringify({ $ref: `#/definitions/${name}`, definitions }) })
    }
    const inputData = new InputData()
    inputData.addInput(source)
    const { lines } = await quicktype({ inputData, lang: "python", rendererOptions: { "python-version": "3.7" } })
    writeFileSync(join(where, "place_access.py"), lines.join("\n"))
    writeFileSync(
      join(where, "main.py"),
      `import json, sys, urllib.request
from place_access import shared_places_from_dict
request = urllib.request.Request(sys.argv[1] + "/v1/answers/places", headers={"Authorization": "Bearer " + sys.argv[2]})
answer = shared_places_from_dict(json.load(urllib.request.urlopen(request)))
print(answer.places[0].label, answer.places[0].kind.value)
`
    )
    const { execFile } = await import("node:child_process")
    const output = await new Promise<string>((done, fail) =>
      execFile("python3", ["main.py", world.url, token], { cwd: where }, (error, stdout, stderr) =>
        error === null ? done(stdout) : fail(new Error(stderr))
      )
    )
    expect(output.trim()).toBe("Home other")
  })
})

function hasPython(): boolean {
  try {
    // The generated code needs the package `dateutil` for reading times.
    execFileSync("python3", ["-c", "import dateutil"], { stdio: "ignore" })
    return true
  } catch {
    process.stderr.write("\nNo python3 with dateutil: the classes for Python are not tried.\n")
    return false
  }
}
