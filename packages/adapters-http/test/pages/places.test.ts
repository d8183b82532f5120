import { createPlace, Place } from "@place-access/domain/places"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe("the form of a new place [consent-11]", () => {
  it("begins with the kind home only while there is no home; an archived home does not count", async () => {
    const person = await world.person()
    const kind = async () => /<option value="(\w+)"\s+selected>/.exec((await person.get("/portal/places")).text)?.[1]
    expect(await kind()).toBe("home")
    const circle = { lat: 52.52, lon: 13.405, radiusM: 150 }
    const home = { label: Place.Label.make("My flat"), kind: "home", circle } as const
    const { id } = await world.run(createPlace(person.account.id, home))
    expect(await kind()).toBe("other")
    expect((await person.send("DELETE", `/v1/user/places/${id}`)).status).toBe(204)
    expect(await kind()).toBe("home")
  })
})

it("a card shows the centre of a place to six decimals, which is a tenth of a metre, and the form keeps the whole value [places-5]", async () => {
  const person = await world.person()
  const circle = { lat: 52.564915558749554, lon: -0.000000001, radiusM: 150 }
  const place = { label: Place.Label.make("Workshop"), kind: "work", circle } as const
  const { id } = await world.run(createPlace(person.account.id, place))
  const { text } = await person.get("/portal/places")
  expect(/<dt>Centre<\/dt>\s*<dd>([^<]*)<\/dd>/.exec(text)?.[1]).toBe("52.564916, 0")
  expect((await person.get(`/portal/places/${id}`)).text).toContain('value="52.564915558749554"')
})
