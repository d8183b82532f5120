import { Bag } from "@place-access/domain/shared"
import { Effect, GlobalValue } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as RootFibers from "../../src/process/RootFibers.js"

const SEE = "see apps/worker/src/process/README.md"

const scope = GlobalValue.globalValue(Symbol.for("effect/FiberScope/Global"), () => ({ roots: new Set<object>() }))
const own = scope.roots
afterEach(() => {
  scope.roots = own
  vi.restoreAllMocks()
})

describe("effect", () => {
  it("keeps its root fibers in a global value, by `add` and `delete` of its `roots`", () => {
    const [added, deleted] = [vi.spyOn(own, "add"), vi.spyOn(own, "delete")]
    Effect.runSync(Effect.sync(() => 1))
    const changes = [added.mock.calls.length, deleted.mock.calls.length]
    expect(changes, `Root fibers are kept elsewhere: ${SEE}`).toEqual([1, 1])
  })
})

describe("the root fibers of a program", () => {
  it("are in a bag, with those that had begun before; one that ends leaves it", async () => {
    const before = Effect.runFork(Effect.never)
    const others = own.size - 1
    RootFibers.install()
    expect(scope.roots).toBeInstanceOf(Bag)
    expect([scope.roots.has(before), scope.roots.size]).toEqual([true, 1 + others])
    const later = Effect.runFork(Effect.yieldNow())
    expect(scope.roots.has(later)).toBe(true)
    await Effect.runPromise(later)
    expect(scope.roots.has(later)).toBe(false)
    before.unsafeInterruptAsFork(later.id())
  })
})
