import type { ConnectionView } from "@place-access/domain/connection"
import { Place } from "@place-access/domain/places"
import { PlaceId, UserId } from "@place-access/domain/shared"
import { PlaceCard } from "@place-access/domain/timeline"
import { describe, expect, it } from "vitest"
import { NOON, time } from "../support/rules.js"

const place = (id: string) =>
  Place.make(
    UserId.make("usr_ada"),
    PlaceId.make(id),
    { label: Place.Label.make(id), kind: "home", circle: { lat: 52, lon: 4, radiusM: 150 } },
    time(NOON)
  )
const connection = (name: string, live: boolean, ...places: ReadonlyArray<string>) =>
  ({ app: { name }, live, places: places.map((placeId) => ({ placeId })) }) as unknown as ConnectionView.UserConnection
const visit = (id: string, arrival: number, departure: number | null) => ({
  arrival: time(arrival),
  departure: departure === null ? null : time(departure),
  isUncertain: false,
  place: Place.ref(place(id))
})

describe("the card of a place [places-5]", () => {
  const [home, work] = [place("plc_home"), place("plc_work")]

  it("names the live connections that share the place, by their apps' names", () => {
    const connections = [
      connection("Tea", true, "plc_home", "plc_work"),
      connection("Coffee", true, "plc_home"),
      connection("Old", false, "plc_home")
    ]
    const names = PlaceCard.of([home, work], connections, [], null, time(9)).map(({ sharedWith }) =>
      sharedWith.map(({ app }) => app.name)
    )
    expect(names).toEqual([["Coffee", "Tea"], ["Tea"]])
  })

  it("has the newest visit at this place, whatever the order", () => {
    const visits = [visit("plc_home", 1, 2), visit("plc_home", 5, null), visit("plc_home", 3, 4)]
    const cards = PlaceCard.of([home, work], [], visits, null, time(9))
    expect(cards.map(({ lastVisit }) => lastVisit?.arrival ?? null)).toEqual([5, null])
  })
})
