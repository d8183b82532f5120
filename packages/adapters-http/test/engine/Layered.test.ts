import { Layered } from "@place-access/adapters-http/engine/Layered"
import { Context, Effect, Equal } from "effect"
import { describe, expect, it } from "vitest"

class Kept extends Context.Tag("test/Kept")<Kept, string>() {}
class Replaced extends Context.Tag("test/Replaced")<Replaced, string>() {}
class Later extends Context.Tag("test/Later")<Later, string>() {}

const below = Context.make(Kept, "below").pipe(Context.add(Replaced, "below"))
const make = (): Context.Context<Kept | Replaced> => {
  const map = new Layered(below.unsafeMap)
  map.set(Replaced.key, "own")
  return Context.unsafeMake(map)
}
const all = { "test/Kept": "below", "test/Replaced": "own" }

describe("a context over another", () => {
  it("what is its own is found before what is below, and nothing below is changed", () => {
    const context = make()
    expect([Context.get(context, Kept), Context.get(context, Replaced)]).toEqual(["below", "own"])
    expect(Object.fromEntries(below.unsafeMap)).toEqual({ "test/Kept": "below", "test/Replaced": "below" })
  })

  it("a copy, an iteration and a count find everything, once", () => {
    const map = make().unsafeMap
    expect(Object.fromEntries(new Map(map))).toEqual(all)
    expect([...map.keys()].toSorted()).toEqual(Object.keys(all).toSorted())
    expect([...map.values()].toSorted()).toEqual(Object.values(all).toSorted())
    const seen = new Map<string, unknown>()
    for (const [key, service] of map) seen.set(key, service)
    expect(Object.fromEntries(seen)).toEqual(all)
    const each: Array<string> = []
    // oxlint-disable-next-line unicorn/no-array-for-each -- the method is what is tested
    map.forEach((_service, key) => each.push(key))
    expect(each.toSorted()).toEqual(Object.keys(all).toSorted())
    expect(map.size).toBe(2)
  })

  it("added to, merged and compared it is as a context whose services were copied", () => {
    const copied = Context.make(Kept, "below").pipe(Context.add(Replaced, "own"))
    expect(Equal.equals(make(), copied)).toBe(true)
    expect(Equal.equals(copied, make())).toBe(true)
    expect(Object.fromEntries(Context.add(make(), Later, "later").unsafeMap)).toEqual({ ...all, "test/Later": "later" })
    expect(Object.fromEntries(Context.merge(Context.make(Later, "later"), make()).unsafeMap)).toEqual({
      ...all,
      "test/Later": "later"
    })
  })

  it("a program finds them, also inside what provides more", () => {
    const program = Effect.all([Kept, Replaced, Later]).pipe(Effect.provideService(Later, "later"))
    expect(Effect.runSync(Effect.provide(program, make()))).toEqual(["below", "own", "later"])
  })
})
