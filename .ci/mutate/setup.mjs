// Switches on the fault that MUTANT names, or notes which places a test file reaches when MUTATE_NOTES names a file.
// With MUTATE_REPEAT this file does neither, because runner.mjs switches the faults on and off.
import { appendFileSync } from "node:fs"
import * as FastCheck from "effect/FastCheck"
import { afterAll, beforeAll, expect } from "vitest"

const active = Number(process.env.MUTANT ?? -1)
const notes = process.env.MUTATE_NOTES

// It is enough that a property fails. Nobody reads its counterexample here, so fast-check need not shrink it.
FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), endOnFailure: true })

if (notes !== undefined) {
  const marks = new Uint8Array(100_000)
  const idsNow = () => [...marks.keys()].filter((id) => marks[id] === 1)
  let loaded = []
  globalThis.__mutant = (id) => {
    marks[id] = 1
    return false
  }
  // When `beforeAll` runs, the test file and all modules that it imports are loaded.
  beforeAll(() => {
    loaded = idsNow()
  })
  afterAll(() => {
    const file = expect.getState().testPath
    appendFileSync(notes, `${JSON.stringify({ file, loaded, reached: idsNow() })}\n`)
  })
} else if (process.env.MUTATE_REPEAT === undefined) globalThis.__mutant = (id) => id === active
