import { createPlace, Place } from "@place-access/domain/places"
import type { Person, World } from "./World.js"

/**
 * Adds places with the names "Place FROM" to "Place TO" to the person's account, and returns the first of these places.
 */
export const addPlaces = async (world: World, { account }: Pick<Person, "account">, from: number, to: number) => {
  const add = (number: number) =>
    world.run(
      createPlace(account.id, {
        label: Place.Label.make(`Place ${number}`),
        kind: "other",
        circle: { lat: 52.52, lon: 13.405, radiusM: 150 }
      })
    )
  const first = await add(from)
  for (let number = from + 1; number <= to; number++) await add(number)
  return first
}
