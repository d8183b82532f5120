import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pack, type Packed } from "../../../domain/test/support/packed.js"
import { describeRegistry } from "../../../domain/test/support/registry.js"
import { connected, type Connected, CURRENT } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../../../..")
const TSC = join(ROOT, "node_modules/@typescript/native/bin/tsc")

/** A program of an app that already has tokens. */
const ASK = `
  const [baseUrl, access_token] = process.argv.slice(2)
  const store = memoryTokenStore({ access_token, refresh_token: "r", expires_at: Date.now() + 1e6, scope: "", sub: "" })
  const client = createClient({ baseUrl, clientId: "app_1", store })
  client.answers.currentPlace().then(({ state }) => console.log(state))
`

const TYPED = `
import { createClient, isPlaceAccessError, type SharedVisit } from "@place-access/adapters-http/client"

const client = createClient({ baseUrl: "https://places.example", clientId: "app_1" })
export const visits = async (): Promise<ReadonlyArray<SharedVisit>> => {
  const found: Array<SharedVisit> = []
  for await (const visit of client.visits({ from: "2026-01-01T00:00:00Z" })) found.push(visit)
  const rule = await client.placeRules.create({ type: "dwell", dwell_minutes: 10, place_id: "plc_1" })
  const state: "active" | "inactive" | "finished" | "disabled" = rule.state
  // @ts-expect-error a rule of this type needs its minutes
  await client.placeRules.create({ type: "dwell", place_id: "plc_1" })
  // @ts-expect-error coordinates need a purpose
  await client.locations.latest({})
  try {
    await client.me()
  } catch (error) {
    if (isPlaceAccessError(error, "rate_limited")) return error.retryAfterS === undefined ? found : []
  }
  return state === "active" ? found : []
}
`

/** A program that makes a client from the contract, as an app that uses Effect can do. */
const EFFECT = `
import { Api } from "@place-access/adapters-http/Api"
import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
const [baseUrl, token] = process.argv.slice(2)
const program = Effect.gen(function* () {
  const client = yield* HttpApiClient.make(Api, {
    baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
  })
  const { state } = yield* client.answers.currentPlace({ urlParams: { max_age_s: 60 } })
  const refused = yield* Effect.flip(client.visits.list({ urlParams: { limit: 1 } }))
  console.log(state, refused.error)
})
await Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer)))
`

describe("the client as it is packed", () => {
  let packed: Packed
  let world: World
  let app: Connected
  beforeAll(async () => {
    packed = await pack("adapters-http")
    world = await startWorld()
    app = await connected(world)
  })
  afterAll(async () => {
    await packed.remove()
    await world.close()
  })

  it("publint and Are The Types Wrong find nothing", async () => {
    expect(await packed.faults()).toEqual([])
  })

  it("has the client, the contract, the examples and sources for debuggers; no page and no server", () => {
    for (const file of ["dist/client/index.js", "dist/client/index.d.ts", "dist/Api.js", "examples/node.mjs"]) {
      expect(packed.files).toContain(file)
    }
    expect(packed.files.filter((file) => !/^(?:dist|src|examples)\/|^package\.json$/.test(file))).toEqual([])
    expect(
      packed.files.filter((file) => /pages|engine\/Engine|HttpLive|Http\.js|(?:^|\/)test\/|\.test\./.test(file))
    ).toEqual([])
  })

  it("the built client imports nothing and names nothing of Node's", () => {
    const built = packed.files.filter((file) => /^dist\/client\/.*(?<!fileTokenStore)\.(?:js|d\.ts)$/.test(file))
    expect(built.length).toBeGreaterThan(20)
    for (const file of built) {
      const code = readFileSync(join(ROOT, "packages/adapters-http", file), "utf8")
        .replace(/\/\*[^]*?\*\//g, "")
        .replace(/^\s*\/\/.*$/gm, "")
      const imported = [...code.matchAll(/(?:from|import)\s*\(?["']([^"']+)["']/g)].map(([, from = ""]) => from)
      expect([file, imported.filter((from) => !from.startsWith("./"))]).toEqual([file, []])
      expect([file, /\b(?:require|Buffer|process|global|setImmediate)\b|node:/.exec(code)]).toEqual([file, null])
    }
  })

  describe("in a folder where no other package is", () => {
    let folder: string
    beforeAll(async () => {
      folder = await packed.install()
    })
    const ask = async (name: string, imports: string) => {
      const { access_token } = await app.connect([CURRENT])
      await writeFile(join(folder, name), imports + ASK)
      const args = ["--no-warnings", name, world.url, access_token]
      return (await run(process.execPath, args, { cwd: folder, env: {} })).stdout.trim()
    }

    it("an ES module asks the service", async () => {
      const imports = `import { createClient, memoryTokenStore } from "@place-access/adapters-http/client"`
      expect(await ask("app.mjs", imports)).toBe("unknown")
    })

    it("a CommonJS module does, too", async () => {
      const imports = `const { createClient, memoryTokenStore } = require("@place-access/adapters-http/client")`
      expect(await ask("app.cjs", imports)).toBe("unknown")
    })

    it.each([
      ["nodenext", "nodenext"],
      ["esnext", "bundler"]
    ])("module %s, resolved as %s: the types are whole, with those of a browser alone", async (module, resolution) => {
      const source = join(folder, "app.mts")
      await writeFile(source, TYPED)
      const options = ["--module", module, "--moduleResolution", resolution, "--target", "es2022"]
      const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit"]
      const args = [TSC, ...options, ...strict, "--lib", "es2022,dom", "--types", "", source]
      const compiled = run(process.execPath, args, { cwd: folder })
      expect(await compiled.catch((error: { readonly stdout: string }) => error)).toMatchObject({ stdout: "" })
    })
  })

  it("beside Effect, HttpApiClient.make(Api) asks the service, and has its errors as values", async () => {
    const folder = await packed.install()
    // The dependencies are linked where npm would install them. packages/domain/test/packed.e2e.test.ts shows that npm
    // installs the dependencies of a package.
    for (const name of ["effect", "@effect/platform", "@place-access/domain"]) {
      const at = join(folder, "node_modules", name)
      await mkdir(dirname(at), { recursive: true })
      await symlink(join(ROOT, "node_modules", name), at)
    }
    const { access_token } = await app.connect([CURRENT])
    await writeFile(join(folder, "effect.mjs"), EFFECT)
    const args = ["--no-warnings", "effect.mjs", world.url, access_token]
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: {} })
    expect(stdout).toBe("unknown missing_scope\n")
  })

  describeRegistry("npm", () => {
    it("installs it alone, also beside an effect that the contract does not work with", async () => {
      const beside = await packed.resolveByNpm(["effect@>=4"])
      expect(beside.get("effect")).toMatch(/^[4-9]\./)
      expect(beside.has("@effect/platform") || beside.has("@place-access/domain")).toBe(false)
    })
  })
})
