import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pack, type Packed } from "../../domain/test/support/packed.js"
import { published } from "./support/vectors.js"

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "../../..")
const TSC = join(ROOT, "node_modules/@typescript/native/bin/tsc")

/** A receiver in JavaScript. It checks every vector, and prints how many had the expected result. */
const RUN_VECTORS = `
  let right = 0
  for (const { body, body_hex, header, now_s, ok, reason, secrets, tolerance_s } of vectors) {
    const payload = body_hex === undefined ? body : Buffer.from(body_hex, "hex")
    const result = await verify({ payload, header, secrets, toleranceS: tolerance_s, now: now_s * 1000 })
    if (result.ok === ok && (ok || result.reason === reason)) right++
  }
  console.log(right)
`

const TYPED = `
import { verify, type VerifyFailure, type WebhookEvent } from "@place-access/adapters-webhook/verify"

export const take = async (
  payload: Uint8Array,
  header: string | ReadonlyArray<string> | undefined
): Promise<string> => {
  const result = await verify({ payload, header, secrets: ["whsec_new", "whsec_old"], toleranceS: 60, now: 0 })
  if (!result.ok) {
    const reason: VerifyFailure = result.reason
    return reason
  }
  const event: WebhookEvent = JSON.parse(result.body)
  switch (event.type) {
    case "place.enter":
      return \`\${event.grant_id} \${event.rule_id} \${event.target.label}\`
    case "sensitive.expiring":
      return \`\${event.days_left} \${event.scopes.join()}\`
    case "ping":
      // @ts-expect-error a ping is about nobody
      return event.grant_id
    default:
      return event.event_id
  }
}

// @ts-expect-error an object is not the raw body
void verify({ payload: { event_id: "" }, header: "", secrets: "" })
`

describe("the package as it is published", () => {
  let packed: Packed
  beforeAll(async () => {
    packed = await pack("adapters-webhook")
  })
  afterAll(() => packed.remove())

  it("publint and Are The Types Wrong find nothing", async () => {
    expect(await packed.faults()).toEqual([])
  })

  it("has the vectors, the examples and sources for debuggers; no tests, and nothing of the compiler's", () => {
    for (const file of [
      "vectors.json",
      "dist/verify.js",
      "dist/verify.d.ts",
      "src/verify.ts",
      "examples/express.mjs"
    ]) {
      expect(packed.files).toContain(file)
    }
    expect(
      packed.files.filter((file) => !/^(dist|src|examples)\/[\w-]+\.|^(package|vectors)\.json$/.test(file))
    ).toEqual([])
  })

  it("verify imports nothing and names nothing of Node's", () => {
    const code = readFileSync(join(ROOT, "packages/adapters-webhook/dist/verify.js"), "utf8")
      .replace(/\/\*[^]*?\*\//g, "")
      .replace(/^\s*\/\/.*$/gm, "")
    expect(code).toMatch(/\bexport const verify\b/)
    expect(code).not.toMatch(/\bfrom\s*["']|\b(?:import|require|Buffer|process|global|setImmediate)\b|node:/)
  })

  it("npm installs nothing beside it: neither effect, which it does not use, nor a client for HTTP", async () => {
    const folder = await packed.installByNpm(["--offline"])
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@place-access"])
    expect(readdirSync(join(folder, "node_modules/@place-access"))).toEqual(["adapters-webhook"])
  })

  describe("in a folder where no other package is", () => {
    let folder: string
    beforeAll(async () => {
      folder = await packed.install()
    })

    const node = async (name: string, source: string) => {
      await writeFile(join(folder, name), source)
      return (await run(process.execPath, ["--no-warnings", name], { cwd: folder, env: {} })).stdout.trim()
    }
    const all = String(published().vectors.length)

    it("an ES module verifies by every vector", async () => {
      const imports = `import { verify } from "@place-access/adapters-webhook/verify"
        import file from "@place-access/adapters-webhook/vectors.json" with { type: "json" }
        const { vectors } = file`
      expect(await node("receiver.mjs", imports + RUN_VECTORS)).toBe(all)
    })

    it("a CommonJS module does, too", async () => {
      const imports = `const { verify } = require("@place-access/adapters-webhook/verify")
        const { vectors } = require("@place-access/adapters-webhook/vectors.json")`
      expect(await node("receiver.cjs", `${imports}\n;(async () => {${RUN_VECTORS}})()`)).toBe(all)
    })

    it("the sender is the service's own, and not in the package", async () => {
      await expect(node("sender.mjs", `import "@place-access/adapters-webhook"`)).rejects.toThrow(
        /ERR_PACKAGE_PATH_NOT_EXPORTED/
      )
    })

    it.each([
      ["node16", "node16"],
      ["nodenext", "nodenext"],
      ["esnext", "bundler"]
    ])(
      "module %s, resolved as %s: the types are whole, without those of Node or a browser",
      async (module, resolution) => {
        const source = join(folder, "receiver.mts")
        await writeFile(source, TYPED)
        const options = ["--module", module, "--moduleResolution", resolution, "--target", "es2022", "--lib", "es2022"]
        const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit"]
        const compiled = run(process.execPath, [TSC, ...options, ...strict, "--types", "", source], { cwd: folder })
        expect(await compiled.catch((error: { readonly stdout: string }) => error)).toMatchObject({ stdout: "" })
      }
    )
  })
})
