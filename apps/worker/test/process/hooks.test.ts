import { Effect, GlobalValue } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import * as RootFibers from "../../src/process/RootFibers.js"

const SEE = "see apps/worker/src/process/README.md"

const scope = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({ roots: new Set<object>() }))
const own = scope.roots
afterEach(() => void (scope.roots = own))

describe("effect", () => {
  it("keeps its root fibers in a global value, by `add` and `delete` of its `roots`", () => {
    const changes: Array<string> = []
    scope.roots = { add: () => void changes.push("add"), delete: () => void changes.push("delete") } as never
    Effect.runSync(Effect.sync(() => 1))
    expect(changes, `Root fibers are kept elsewhere: ${SEE}`).toEqual(["add", "delete"])
  })
})

describe("the root fibers of a program", () => {
  it("are in a bag, with those that had begun before; one that ends leaves it", async () => {
    const before = Effect.runFork(Effect.never)
    const others = own.size - 1
    RootFibers.install()
    expect([scope.roots.has(before), scope.roots.size]).toEqual([true, 1 + others])
    const later = Effect.runFork(Effect.yieldNow())
    expect(scope.roots.has(later)).toBe(true)
    await Effect.runPromise(later)
    expect(scope.roots.has(later)).toBe(false)
    before.unsafeInterruptAsFork(later.id())
  })
})
