import { expect, it } from "@effect/vitest"
import { Simulation } from "@place-access/domain/testing"
import { TokenStore } from "@place-access/domain/tokens"
import { Context, Layer } from "effect"
import { instead } from "../../simulation/plants/plant.js"
import { busyDay } from "./busyDay.js"

/** A copy of a store whose methods are on a prototype and need `this`, as in an instance of a class. */
const asInstance = (store: object): object => {
  class Base {
    readonly inner = store
  }
  class Store extends Base {}
  for (const [name, method] of Object.entries(store)) {
    Object.defineProperty(Base.prototype, name, {
      value(this: Base, ...args: ReadonlyArray<unknown>): unknown {
        return Reflect.apply(method as () => unknown, this.inner, args)
      }
    })
  }
  return new Store()
}

const backendOf = (change: (store: object) => object): Simulation.Backend => ({
  ...Simulation.memory,
  stores: Layer.map(Simulation.memory.stores, (context) =>
    Object.values(Simulation.STORES).reduce<Context.Context<never>>((all, given) => {
      const tag = given as unknown as Context.Tag<never, object>
      return Context.add(all, tag, change(Context.unsafeGet(context, tag)))
    }, Context.empty())
  ) as typeof Simulation.memory.stores
})

/** Stores whose methods are not own properties, so that a copy with `{ ...store }` would lose them. */
const backends = {
  "instances of classes": backendOf(asInstance),
  "objects that inherit from plain ones": backendOf((store) => Object.create(store) as object)
}

it.each(Object.entries(backends))("stores may be %s", (_, backend) => {
  const plain = Simulation.runSync({ seed: 7 }, busyDay)
  const inherited = Simulation.runSync({ seed: 7, backend }, busyDay)
  expect([inherited.stopped, inherited.traceHash]).toEqual([null, plain.traceHash])
})

it.each(Object.entries(backends))("a sabotage of %s replaces one method, and the others stay", (_, backend) => {
  const { traceHash } = Simulation.runSync({ seed: 7 }, busyDay)
  for (const where of ["sabotage", "sabotageInFront"] as const) {
    let calls = 0
    const counting = instead(TokenStore, (store) => ({
      findByAccessToken: (...args) => {
        calls++
        return store.findByAccessToken(...args)
      }
    }))
    const run = Simulation.runSync({ seed: 7, backend, [where]: counting }, busyDay)
    expect([where, run.stopped, run.traceHash]).toEqual([where, null, traceHash])
    expect(calls).toBeGreaterThan(0)
  }
})
