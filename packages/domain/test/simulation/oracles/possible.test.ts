import { expect, it } from "vitest"
import { Possible } from "../../../testing/simulation/oracles/support/trace/Possible.js"

const add =
  (n: number) =>
  (state: number): ReadonlyArray<number> => [state + n]

it("operations that overlap are applied in every order, with any of them left out", () => {
  const state = new Possible(0, [0])
  const one = state.begin(1, (now) => (now >= 1 ? [now] : [now + 1]))
  const ten = state.begin(2, (now) => (now >= 10 ? [now] : [now + 10]))
  expect(new Set(state.read(2, 2))).toEqual(new Set([0, 1, 10, 11]))
  state.settle(one, 3, "done")
  state.settle(ten, 4, "done")
  expect(new Set(state.read(5, 5))).toEqual(new Set([0, 1, 10, 11]))
})

it("an operation that certainly took effect leaves one state", () => {
  const state = new Possible(0, [0])
  state.settle(state.begin(1, add(1)), 2, "done")
  expect(state.read(3, 3)).toEqual([1])
})

it("after more states than it follows, it knows nothing: also while the next operation runs, and when it has ended", () => {
  const state = new Possible(0, [0])
  const endless = state.begin(1, add(1))
  expect(state.read(1, 1)).toBeUndefined()
  state.settle(endless, 2, "maybe")
  expect(state.read(3, 3)).toBeUndefined()
  const next = state.begin(4, add(1))
  expect(state.read(4, 4)).toBeUndefined()
  state.settle(next, 5, "done")
  expect(state.read(6, 6)).toBeUndefined()
})
