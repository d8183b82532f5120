import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pack, type Packed } from "./support/packed.js"
import { describeRegistry } from "./support/registry.js"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../../..")
const TSC = join(ROOT, "node_modules/@typescript/native/bin/tsc")

/** The oldest version of `effect` with which a simulation takes the same steps as with the newest version. */
const OLDEST = "3.16.0"

/**
 * The most lines of code that the core may have: the built code that a service runs, without the simulation in
 * `testing` and without the translations. A larger core is harder to learn for developers who embed it.
 */
const CORE_LINES_MAX = 16_000

/** The number of lines of a built file that are neither empty nor comments. */
const codeLines = (built: string): number =>
  built
    .replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, "")
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|$)/.test(line)).length

interface Manifest {
  readonly version: string
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/**
 * The source of a program that uses the package and its examples, like a program of a developer who builds another
 * service on the package.
 */
const MAIN = `
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Rule } from "@place-access/domain/rules"
import { AppId, ConnectionId, DeviceId, PlaceId, RuleId, StoreError, Timestamp, UserId } from "@place-access/domain/shared"
import * as Domain from "@place-access/domain"
import { Effect } from "effect"
import { Vault } from "@place-access/domain/shared"
import { engine, read } from "./rulesEngine.js"
import { run } from "./scenario.js"
import * as OwnVault from "./vault.js"

const userId = UserId.make("usr_ana")
const begin = Timestamp.make(Date.now() - 10 * Timestamp.MINUTE)
const circle = { lat: 52.1, lon: 5.1, radiusM: 150 }
const rule: Rule.Rule = {
  userId,
  id: RuleId.make("rul_1"),
  connectionId: ConnectionId.make("con_1"),
  appId: AppId.make("app_1"),
  type: "enter",
  target: { _tag: "Place", placeId: PlaceId.make("plc_1"), label: "Home" },
  dwellMinutes: null,
  settleS: null, silenceS: null,
  webhookUrl: null,
  isLegacy: false,
  window: { from: null, until: null },
  maxEventAgeS: null,
  createdAt: begin,
  disabledAt: null
}
const folder = mkdtempSync(join(tmpdir(), "embedded-"))
const { close, upload } = engine(folder, [{ rule, circle }])
await upload({ userId, id: DeviceId.make("dev_1") }, [
  { capturedAt: begin, lat: 52.2, lon: 5.1, accuracyM: 10 },
  { capturedAt: Timestamp.plus(begin, 60_000), lat: 52.1, lon: 5.1, accuracyM: 10 }
])
await close()
const { outbox } = await Effect.runPromise(read(folder, userId))

// An error of the package is an instance of the consumer's \`effect\`, too.
const caught = await Effect.runPromise(
  Effect.catchTag(StoreError.unavailable("gone"), "StoreError", ({ transient }) => Effect.succeed(transient))
)
const unsealed = await Vault.Vault.pipe(
  Effect.flatMap((vault) => Effect.flatMap(vault.seal("secret", "row 1"), (sealed) => vault.unseal(sealed, "row 1"))),
  Effect.provide(OwnVault.layer([{ id: "k1", bytes: new Uint8Array(32) }])),
  Effect.runPromise
)
const { marks, stopped, violations } = run(1)
console.log(JSON.stringify({
  told: outbox.map(({ payload }) => payload.type),
  caught,
  unsealed,
  same: Domain.StoreError === StoreError,
  marks,
  stopped,
  violations
}))
`

/** A CommonJS program. Its `effect` is the CommonJS build, and the package loads the ES build of the same version. */
const COMMON_JS = `
const { Effect, Either, Layer, TestContext } = require("effect")
const { askZone, LimitStore } = require("@place-access/domain/limits")
const { AppId, StoreError, UserId } = require("@place-access/domain/shared")
const { limitStoreContract, MemoryDatabase, MemoryEntropy, MemoryLimitStore } = require("@place-access/domain/testing")

const memory = Layer.mergeAll(
  MemoryLimitStore.layer.pipe(Layer.provide(MemoryDatabase.layer)),
  MemoryEntropy.layer,
  TestContext.TestContext
)
const failing = Layer.succeed(LimitStore, {
  count: () => Effect.die("unused"),
  ask: () => Effect.fail(StoreError.broken(new Error("down")))
})
const ask = askZone({ appId: AppId.make("app_1"), userId: UserId.make("usr_1") }, { lat: 52, lon: 5, radiusM: 9000 })
const caught = ask.pipe(Effect.as("asked"), Effect.catchTag("StoreError", () => Effect.succeed("caught")))
const cases = Effect.forEach(limitStoreContract, ({ run }) => Effect.either(Effect.provide(run, memory)))
const main = async () => ({
  isSame: (await import("effect")).Effect === Effect,
  asked: await Effect.runPromise(Effect.provide(caught, memory)),
  caught: await Effect.runPromise(Effect.provide(caught, failing)),
  failed: (await Effect.runPromise(cases)).filter(Either.isLeft).length
})
main().then((found) => console.log(JSON.stringify(found)))
`

describe("the package as it is published", () => {
  let packed: Packed
  beforeAll(async () => {
    packed = await pack("domain")
  })
  afterAll(() => packed.remove())

  it("publint and Are The Types Wrong find nothing", async () => {
    // All rooms are exported in the same way (embedding.test.ts tests this), so the test checks only one of them.
    expect(await packed.faults([".", "rules", "testing"])).toEqual([])
  })

  it("has the examples, the guide and sources for debuggers; no tests, and nothing of the compiler's", () => {
    for (const file of [
      "README.md",
      "docs/embedding.md",
      "dist/src/index.js",
      "dist/testing/index.d.ts",
      "dist/testing/index.d.ts.map",
      "src/index.ts",
      "testing/index.ts",
      "examples/scenario.ts"
    ]) {
      expect(packed.files).toContain(file)
    }
    const expected =
      /^(?:dist\/.+\.(?:js|d\.ts)(?:\.map)?|(?:src|testing)\/.+\.ts|docs\/.+\.md|examples\/[\w.]+\.ts|package\.json|README\.md)$/
    expect(packed.files.filter((file) => !expected.test(file))).toEqual([])
  })

  it("every file that is compiled has its source beside it: nothing is left over from one that was removed", () => {
    const compiled = packed.files.filter((file) => /^dist\/.+\.js$/.test(file))
    const sources = compiled.map((file) => file.replace(/^dist\//, "").replace(/\.js$/, ".ts"))
    expect(sources.filter((file) => !packed.files.includes(file))).toEqual([])
  })

  it(`has a core of at most ${CORE_LINES_MAX} lines of code`, async () => {
    const core = packed.files.filter((file) => /^dist\/src\/(?!languages\/).+\.js$/.test(file))
    const built = await Promise.all(core.map((file) => readFile(join(ROOT, "packages/domain", file), "utf8")))
    const lines = built.reduce((sum, one) => sum + codeLines(one), 0)
    expect(lines).toBeLessThanOrEqual(CORE_LINES_MAX)
    // Fewer lines than this would mean that the pattern above no longer finds the files of the core.
    expect(lines).toBeGreaterThan(CORE_LINES_MAX / 2)
  })

  it("the guide says to install what the package asks for", async () => {
    const manifest = JSON.parse(await readFile(join(ROOT, "packages/domain/package.json"), "utf8")) as Manifest
    const guide = await readFile(join(ROOT, "packages/domain/docs/embedding.md"), "utf8")
    expect(guide).toContain("`npm install @place-access/domain effect@^3`")
    expect(manifest.peerDependencies).toEqual({ effect: `^${OLDEST}` })
    expect(guide).toContain(`from ${OLDEST} on`)
  })

  describeRegistry("npm, whose newest effect is a version 4 or later", () => {
    it("installs the newest version 3 beside the package when nobody names a version", async () => {
      const resolved = await packed.resolveByNpm([])
      expect(resolved.get("effect")).toMatch(/^3\.\d+\.\d+$/)
    })
  })

  describeRegistry.each(["^3", OLDEST])("installed by npm in an empty project, with effect@%s", (range) => {
    let folder: string
    beforeAll(async () => {
      folder = await packed.installByNpm([`effect@${range}`, "@types/node@20"])
      const installed = join(folder, "node_modules/@place-access/domain")
      // The package must not bring its own copy of a dependency that may exist only once.
      expect(existsSync(join(installed, "node_modules"))).toBe(false)
      const effect = await readFile(join(folder, "node_modules/effect/package.json"), "utf8")
      const { version } = JSON.parse(effect) as Manifest
      if (range === OLDEST) expect(version).toBe(OLDEST)
      else expect(version).toMatch(/^3\./)
      await mkdir(join(folder, "src"))
      for (const name of ["rulesEngine.ts", "limitStore.ts", "scenario.ts", "tokens.ts", "vault.ts"]) {
        await cp(join(installed, "examples", name), join(folder, "src", name))
      }
      await writeFile(join(folder, "src/main.ts"), MAIN)
    })

    const compile = (module: string, resolution: string, ...options: ReadonlyArray<string>) => {
      const how = ["--module", module, "--moduleResolution", resolution, "--target", "es2022"]
      const strict = ["--strict", "--skipLibCheck", "false", "--lib", "es2022,dom", "--types", "node"]
      const compiled = run(
        process.execPath,
        // One thread, because several threads would check some declarations twice, and other tests use the other
        // processors.
        [TSC, "--singleThreaded", ...how, ...strict, ...options, "src/main.ts", "src/limitStore.ts", "src/tokens.ts"],
        {
          cwd: folder
        }
      )
      return compiled.catch((error: { readonly stdout: string }) => error)
    }

    it("module esnext, resolved by a bundler: the examples and another program compile", async () => {
      expect(await compile("esnext", "bundler", "--noEmit")).toMatchObject({ stdout: "" })
    })

    it("module nodenext: they compile and run: an upload over the embedder's own store, an error caught by its tag, and a simulated evening", async () => {
      expect(await compile("nodenext", "nodenext", "--outDir", "out")).toMatchObject({ stdout: "" })
      const { stdout } = await run(process.execPath, ["--no-warnings", "out/main.js"], { cwd: folder, env: {} })
      expect(JSON.parse(stdout)).toEqual({
        told: ["place.enter"],
        caught: true,
        unsealed: "secret",
        same: true,
        marks: { "the seventh attempt": 1 },
        stopped: null,
        violations: []
      })
    })

    it("a CommonJS program with another instance of effect uses it: layers, an error caught by its tag, and a contract suite", async () => {
      await writeFile(join(folder, "program.cjs"), COMMON_JS)
      const { stdout } = await run(process.execPath, ["--no-warnings", "program.cjs"], { cwd: folder, env: {} })
      expect(JSON.parse(stdout)).toEqual({ isSame: false, asked: "asked", caught: "caught", failed: 0 })
    })
  })
})
