// Switches one fault on, or notes which places a test file reaches.
import { appendFileSync } from "node:fs"
import { afterAll, expect } from "vitest"

const active = Number(process.env.MUTANT ?? -1)
const notes = process.env.MUTATE_NOTES

if (notes === undefined) globalThis.__mutant = (id) => id === active
else {
  const reached = new Set()
  globalThis.__mutant = (id) => {
    reached.add(id)
    return false
  }
  afterAll(() => {
    const file = expect.getState().testPath
    appendFileSync(notes, `${JSON.stringify({ file, reached: [...reached] })}\n`)
  })
}
