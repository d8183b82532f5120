import { miniMap } from "@place-access/adapters-http/pages/land/miniMap"
import { expect, it } from "vitest"

/** The least width of a letter and the least height of a small letter, in units of the picture. */
const [LETTER, HEIGHT] = [5, 7]

/** The name and the box of each name in the picture. */
const namesOf = (svg: string) =>
  [...svg.matchAll(/<text class="town-name" x="([^"]+)" y="([^"]+)">([^<]+)</g)].map(([, x, y, name = ""]) => ({
    name,
    left: Number(x) - (name.length * LETTER) / 2,
    right: Number(x) + (name.length * LETTER) / 2,
    top: Number(y) - HEIGHT,
    bottom: Number(y)
  }))

const CAPITALS = [
  ["Berlin", 52.52, 13.405],
  ["Paris", 48.857, 2.352],
  ["Vienna", 48.21, 16.37],
  ["Suva", -18.14, 178.44]
] as const

it.each(CAPITALS)(
  "the mark of a place near %s covers no name of a town, and the town is named [places-5]",
  (_, lat, lon) => {
    const covered = new Array<string>()
    let named = 0
    for (let north = -10; north <= 10; north++) {
      for (let east = -5; east <= 5; east++) {
        const centre = { lat: lat + north / 100, lon: lon + east / 50 }
        const svg = String(miniMap(centre).written)
        const [, x = "", y = ""] = /<circle class="here" cx="([^"]+)" cy="([^"]+)"/.exec(svg) ?? []
        const mark = { x: Number(x), y: Number(y) }
        const names = namesOf(svg)
        if (names.length > 0) named++
        for (const { bottom, left, name, right, top } of names) {
          const isOverMark = left < mark.x + 3 && mark.x - 3 < right && top < mark.y + 3 && mark.y - 3 < bottom
          if (isOverMark) covered.push(`${name} at ${centre.lat}, ${centre.lon}`)
        }
      }
    }
    expect(covered).toEqual([])
    expect(named).toBe(21 * 11)
  }
)
