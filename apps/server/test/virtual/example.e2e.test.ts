import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { useProcesses } from "../support/processes.js"
import { seededFolder, startWorld, type TestWorld } from "./support.js"

const EXAMPLE = join(import.meta.dirname, "../../examples/virtual-time.test.mjs")

describe("the example of an app's tests against a test world", () => {
  const processes = useProcesses()
  let world: TestWorld
  beforeAll(async () => {
    world = await startWorld(processes, await seededFolder("app"))
  })
  afterAll(() => world?.close())

  it("passes as a reader runs it, with the built packages", async () => {
    const { PATH } = process.env
    const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", EXAMPLE], {
      env: { PATH, SERVICE: world.url }
    }).catch((error: unknown) => {
      throw new Error(`the example failed:\n${(error as { stdout?: string }).stdout ?? String(error)}`)
    })
    expect(stdout).toMatch(/^# pass 3$/m)
    expect(stdout).toMatch(/^# fail 0$/m)
  })
})
