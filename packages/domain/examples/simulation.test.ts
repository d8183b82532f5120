import { expect, it } from "vitest"
import { comingHome } from "./simulation.js"

it("Ana comes home: the app hears of it at the third attempt, and no rule is broken", () => {
  const result = comingHome(42)
  expect(result).toMatchObject({ stopped: null, violations: [] })
  const posted = result.entries.filter((entry) => entry.kind === "posted")
  expect(posted.map(({ reply }) => reply)).toEqual([500, "hang", 200])
})
