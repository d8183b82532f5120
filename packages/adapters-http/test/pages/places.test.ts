import { createPlace, listPlaces, Place } from "@place-access/domain/places"
import { ingestFixes } from "@place-access/domain/fixes"
import { Timestamp } from "@place-access/domain/shared"
import { RuleSamples } from "@place-access/domain/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { visitor } from "../support/visitor.js"
import { addPlaces } from "../support/places.js"
import { PASSWORD, startWorld, type World } from "../support/World.js"

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

it("at the limit of places, a sentence stands in place of the form of a new place [limits-9]", async () => {
  const person = await world.person()
  const { id } = await addPlaces(world, person, 1, 100)
  const shown = async (language: string) => {
    const { text } = await person.get("/portal/places", { headers: { "accept-language": language } })
    const sentence = /<p class="soft" id="new">([^<]*)<\/p>/.exec(text)?.[1]?.trim()
    return [text.includes('action="/portal/places"'), text.includes('name="radius_m"'), sentence]
  }
  expect(await shown("en")).toEqual([false, false, "You can have 100 places. Archive one to add another."])
  expect(await shown("de")).toEqual([
    false,
    false,
    "Sie können 100 Orte haben. Archivieren Sie einen, um einen anderen hinzuzufügen."
  ])
  expect((await person.send("DELETE", `/v1/user/places/${id}`)).status).toBe(204)
  expect(await shown("en")).toEqual([true, true, undefined])
})

it("the card of a place that was never visited says so, when the page has looked at all visits [places-5]", async () => {
  const person = await world.person()
  await world.run(
    createPlace(person.account.id, {
      label: Place.Label.make("Cabin"),
      kind: "other",
      circle: { lat: 61.5, lon: 9.2, radiusM: 150 }
    })
  )
  const lastThere = async (language: string) => {
    const { text } = await person.get("/portal/places", { headers: { "accept-language": language } })
    return /<dt>(?:Last there|Zuletzt dort)<\/dt>\s*<dd>([^<]*)</.exec(text)?.[1]
  }
  expect([await lastThere("en"), await lastThere("de")]).toEqual(["No visit yet", "Noch kein Besuch"])
  // The person has more visits at home than the page reads. So the page does not know whether the person was at the
  // cabin earlier.
  const home = {
    label: Place.Label.make("Home"),
    kind: "home",
    circle: { lat: 52.52, lon: 13.405, radiusM: 150 }
  } as const
  await world.run(createPlace(person.account.id, home))
  const device = await world.run(RuleSamples.device(person.account.id))
  const readings = Array.from({ length: 101 * 5 }, (_, index) => ({
    capturedAt: Timestamp.make(world.clock.now() - index * 10 * Timestamp.MINUTE),
    lat: index % 5 < 3 ? 52.52 : 52.6,
    lon: 13.405,
    accuracyM: 10
  }))
  await world.run(ingestFixes(device, readings.toReversed(), []))
  // The service derives the visits of many readings in several steps. Each time the page is read, the service makes
  // some of these steps.
  for (let read = 0; read < 5; read++) await lastThere("en")
  expect(await lastThere("en")).toBe("Not in your last 100 visits")
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

it("a card writes the radius as the reader's language writes numbers [languages-1]", async () => {
  const person = await world.person()
  for (const [label, radiusM] of [
    ["Town", 10_000],
    ["Yard", 150.5]
  ] as const) {
    const circle = { lat: 52.52, lon: 13.405, radiusM }
    await world.run(createPlace(person.account.id, { label: Place.Label.make(label), kind: "other", circle }))
  }
  const radii = async (language: string, name: string) => {
    const { text } = await person.get("/portal/places", { headers: { "accept-language": language } })
    return Array.from(text.matchAll(new RegExp(`<dt>${name}</dt>\\s*<dd>([^<]*)</dd>`, "g")), ([, radius]) => radius)
  }
  expect(await radii("en", "Radius")).toEqual(["10,000 m", "150.5 m"])
  expect(await radii("de", "Radius")).toEqual(["10.000 m", "150,5 m"])
})

it("a place whose coordinate is almost 0 can be renamed: the form accepts the coordinate that it shows", async () => {
  const { account } = await world.person()
  const circle = { lat: 0.0000005, lon: -0.000000001, radiusM: 150 }
  const { id } = await world.run(createPlace(account.id, { label: Place.Label.make("Buoy"), kind: "other", circle }))
  const browser = visitor(world.url)
  await browser.submit(await browser.get("/sign-in"), "/sign-in", { email: account.email, password: PASSWORD })
  const path = `/portal/places/${id}`
  const page = await browser.get(path)
  const shown = (name: string) => new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(page.text)?.[1] ?? ""
  const changed = { label: "Null Island", kind: "other", lat: shown("lat"), lon: shown("lon"), radius_m: "150" }
  expect((await browser.submit(page, path, changed)).status).toBe(303)
  expect((await world.run(listPlaces(account.id))).map((place) => [place.label, place.circle])).toEqual([
    ["Null Island", circle]
  ])
})
